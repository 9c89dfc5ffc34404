//! Pieces of structured code that take the place of a block's statements.
//!
//! Lives here: loops and branches as values, and the one surgery that puts them into a control-flow graph. The order of edges
//! is kept, because the arms of a branch have the order of its edges. Never here: what the pieces compute.

use rustc_hash::FxHashMap;
use xaif::model::{Expr, FlowEdge, FlowGraph, ForLoop, ScopeId, Stmt, Vertex, VertexId, VertexKind};

/// A piece of code.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A statement.
    Stmt(Stmt),
    /// A loop.
    Loop {
        /// Its head.
        head: Box<ForLoop>,
        /// Its body.
        body: Vec<Item>,
    },
    /// A branch.
    Branch {
        /// Its condition.
        condition: Expr,
        /// Where it holds.
        then: Vec<Item>,
        /// Where it does not.
        otherwise: Vec<Item>,
    },
}

/// Replaces the statements of blocks. Code for an entry vertex goes between it and what follows.
pub fn replace(graph: &mut FlowGraph, scope: ScopeId, mut code: FxHashMap<VertexId, Vec<Item>>) {
    if code.is_empty() {
        return;
    }
    let old = std::mem::take(graph);
    let (nodes, edges) = old.into_nodes_edges();
    for n in nodes {
        graph.add_node(n.weight);
    }
    let mut last: FxHashMap<VertexId, VertexId> = FxHashMap::default();
    let mut order: Vec<VertexId> = code.keys().copied().collect();
    order.sort_unstable();
    let mut fresh = Vec::new();
    for v in order {
        let Some(items) = code.remove(&v) else { continue };
        if items.is_empty() && !matches!(graph[v].kind, VertexKind::Block { .. }) {
            continue;
        }
        let mut writer = Writer { graph, scope, edges: &mut fresh };
        let mut at = v;
        match &mut writer.graph[v].kind {
            VertexKind::Block { stmts, .. } => stmts.clear(),
            _ => at = writer.block_after(v, None),
        }
        last.insert(v, writer.sequence(at, items));
    }
    for e in edges {
        let source = last.get(&e.source()).copied().unwrap_or(e.source());
        graph.add_edge(source, e.target(), e.weight);
    }
    for (from, to, e) in fresh {
        graph.add_edge(from, to, e);
    }
    for v in graph.node_weights_mut() {
        if let Some(f) = v.follows
            && let Some(&l) = last.get(&f)
        {
            v.follows = Some(l);
        }
    }
}

struct Writer<'a> {
    graph: &'a mut FlowGraph,
    scope: ScopeId,
    edges: &'a mut Vec<(VertexId, VertexId, FlowEdge)>,
}

impl Writer<'_> {
    fn vertex_after(&mut self, from: VertexId, value: Option<i64>, kind: VertexKind) -> VertexId {
        let v = self.graph.add_node(Vertex::new(kind));
        self.edges.push((from, v, FlowEdge { value, ..FlowEdge::default() }));
        v
    }

    fn block_after(&mut self, from: VertexId, value: Option<i64>) -> VertexId {
        self.vertex_after(from, value, VertexKind::Block { scope: self.scope, stmts: Vec::new() })
    }

    /// Writes items from a block on; gives the block where they end. Nesting is that of the code that made them, which is bounded.
    fn sequence(&mut self, start: VertexId, items: Vec<Item>) -> VertexId {
        let mut at = start;
        for item in items {
            match item {
                Item::Stmt(s) => {
                    if let VertexKind::Block { stmts, .. } = &mut self.graph[at].kind {
                        stmts.push(Box::new(s));
                    }
                }
                Item::Loop { head, body } => {
                    let header = self.vertex_after(at, None, VertexKind::For(head));
                    let first = self.block_after(header, Some(1));
                    let end_of_body = self.sequence(first, body);
                    let end = self.vertex_after(end_of_body, None, VertexKind::EndLoop);
                    self.edges.push((end, header, FlowEdge::default()));
                    at = self.block_after(header, None);
                }
                Item::Branch { condition, then, otherwise } => {
                    let branch = self.vertex_after(at, None, VertexKind::Branch(condition));
                    let first = self.block_after(branch, Some(1));
                    let end_of_then = self.sequence(first, then);
                    let end = self.vertex_after(end_of_then, None, VertexKind::EndBranch);
                    if otherwise.is_empty() {
                        self.edges.push((branch, end, FlowEdge::default()));
                    } else {
                        let first = self.block_after(branch, None);
                        let end_of_otherwise = self.sequence(first, otherwise);
                        self.edges.push((end_of_otherwise, end, FlowEdge::default()));
                    }
                    at = self.block_after(end, None);
                }
            }
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xaif::build::GraphBuilder;
    use xaif::model::{SymbolId, VarRef};
    use xaif::structure::{Region, regions};

    fn stmt(v: i64) -> Stmt {
        Stmt::assign(VarRef::whole(SymbolId(0)), Expr::int(v))
    }

    #[test]
    fn loops_and_branches_nest_where_statements_stood() {
        let mut b = GraphBuilder::new(ScopeId(0));
        b.begin_branch(Expr::bool(true));
        b.arm(&[1]);
        b.stmt(stmt(1));
        b.jump_return();
        b.arm(&[]);
        b.stmt(stmt(2));
        b.end_branch();
        b.stmt(stmt(3));
        let mut g = b.finish().unwrap().graph;
        let head = ForLoop { explicit: false, init: stmt(0), condition: Expr::bool(true), update: stmt(0), counted: true };
        let mut code = FxHashMap::default();
        for v in g.node_indices() {
            if let [s] = g[v].stmts() {
                let branch = Item::Branch { condition: Expr::bool(true), then: vec![Item::Stmt(Stmt::clone(s))], otherwise: vec![] };
                code.insert(v, vec![Item::Loop { head: Box::new(head.clone()), body: vec![branch] }, Item::Stmt(Stmt::clone(s))]);
            }
        }
        let entry = g.node_indices().next().unwrap();
        code.insert(entry, vec![Item::Stmt(stmt(9))]);
        replace(&mut g, ScopeId(0), code);
        let r = regions(&g).unwrap();
        let [Region::Block(first), Region::Branch { arms, .. }, Region::Block(_), Region::Loop { body, .. }, Region::Block(_)] = &r[..]
        else {
            panic!("{r:?}")
        };
        assert_eq!(g[*first].stmts(), [Box::new(stmt(9))]);
        assert!(matches!(arms[0].body[..], [Region::Block(_), Region::Loop { .. }, Region::Block(_), Region::Jump(_)]));
        assert!(matches!(body[..], [Region::Block(_), Region::Branch { .. }, Region::Block(_)]));
    }
}
