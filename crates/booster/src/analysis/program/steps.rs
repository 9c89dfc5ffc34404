//! Handles of statements.
//!
//! ```text
//! vertex 1, a block    #pragma unroll   0        a copy without the pragma    y = x*x   1
//!                      y = x*x          1
//! vertex 2, a loop     i = 0            2
//!                      i = i + 1        3
//!                      i < n            4
//! ```
//!
//! What analyses know of statements they keep by these handles. A statement of a derivative unit carries that of the original which it is a copy of, so nothing
//! depends on where it has come to stand.
//!
//! Lives here: which step has which handle. Never here: what is known of steps.

use xaif::model::{FlowGraph, StepId, Stmt, VertexId, VertexKind};

/// How many steps a vertex has: of a block its statements; of a loop that counts its start, its step and its condition, in this order.
pub fn count(kind: &VertexKind) -> usize {
    match kind {
        VertexKind::Block { stmts, .. } => stmts.len(),
        VertexKind::For(_) => 3,
        VertexKind::Pre(_) | VertexKind::Post(_) | VertexKind::Branch(_) => 1,
        _ => 0,
    }
}

/// The handles of the steps of a unit's own graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Numbering {
    /// For each vertex how many steps the vertices before it have; behind the last one how many there are.
    before: Vec<u32>,
}

impl Numbering {
    /// The handles of a graph's steps.
    pub fn of(graph: &FlowGraph) -> Numbering {
        let mut before = Vec::with_capacity(graph.node_count() + 1);
        before.push(0);
        before.extend(graph.node_weights().scan(0u32, |sum, v| {
            *sum += count(&v.kind) as u32;
            Some(*sum)
        }));
        Numbering { before }
    }

    /// The handle of a step of a vertex of that graph.
    pub fn at(&self, vertex: VertexId, step: usize) -> Option<StepId> {
        let (first, end) = (*self.before.get(vertex.index())?, *self.before.get(vertex.index() + 1)?);
        StepId::new(first as usize + step).filter(|s| s.index() < end as usize)
    }
}

/// Gives the statements of a graph, which is a copy in which all stands where it did, the handles of those of which they are copies.
pub fn number(graph: &mut FlowGraph) {
    let numbering = Numbering::of(graph);
    for v in graph.node_indices().collect::<Vec<_>>() {
        each(&mut graph[v].kind, &mut |k, s| s.step = numbering.at(v, k));
    }
}

/// Takes the handles away.
pub fn forget(graph: &mut FlowGraph) {
    graph.node_weights_mut().for_each(|v| each(&mut v.kind, &mut |_, s| s.step = None));
}

/// Calls `visit` for the statements among a vertex' steps.
pub fn each(kind: &mut VertexKind, visit: &mut dyn FnMut(usize, &mut Stmt)) {
    match kind {
        VertexKind::Block { stmts, .. } => stmts.iter_mut().enumerate().for_each(|(k, s)| visit(k, s)),
        VertexKind::For(f) => {
            visit(0, &mut f.init);
            visit(1, &mut f.update);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xaif::model::{Expr, ForLoop, ScopeId, SymbolId, VarRef, Vertex};

    fn assign(value: i64) -> Stmt {
        Stmt::assign(VarRef::whole(SymbolId(0)), Expr::int(value))
    }

    #[test]
    fn a_statement_keeps_its_handle_where_others_go() {
        let mut graph = FlowGraph::default();
        let entry = graph.add_node(Vertex::new(VertexKind::Entry));
        let stmts = (0..3).map(|k| Box::new(assign(k))).collect();
        let block = graph.add_node(Vertex::new(VertexKind::Block { scope: ScopeId(0), stmts }));
        let head = ForLoop { explicit: false, init: assign(7), condition: Expr::int(1), update: assign(8), counted: false };
        let iteration = graph.add_node(Vertex::new(VertexKind::For(Box::new(head))));
        let numbering = Numbering::of(&graph);
        let numbers = |v: VertexId| (0..4).map(|k| numbering.at(v, k).map(StepId::index)).collect::<Vec<_>>();
        assert_eq!(numbers(entry), [None; 4]);
        assert_eq!(numbers(block), [Some(0), Some(1), Some(2), None]);
        assert_eq!(numbers(iteration), [Some(3), Some(4), Some(5), None]);
        number(&mut graph);
        if let VertexKind::Block { stmts, .. } = &mut graph[block].kind {
            stmts.remove(0);
            stmts.insert(1, Box::new(assign(9)));
            let found: Vec<_> = stmts.iter().map(|s| s.step.map(StepId::index)).collect();
            assert_eq!(found, [Some(1), None, Some(2)]);
        }
        forget(&mut graph);
        assert!(graph[block].stmts().iter().all(|s| s.step.is_none()));
    }
}
