//! Code with any jumps whatever as one loop over numbered blocks.
//!
//! ```text
//! block = 1
//! while (block != 0) {
//!   switch (block) {
//!     case 1: ...; block = 2;
//!     case 2: if (c) { block = 1; } else { ...; block = 0; }
//!   }
//! }
//! ```
//!
//! The adjoint of this loop is what the literature calls reversal by block numbers: the number of the block that ran is recorded in
//! each iteration. A block reaches as far as nobody else jumps into it, branches included.
//!
//! Lives here: cutting a graph into blocks. Never here: derivatives.

use super::flags::Fresh;
use crate::transform::adjoint::code::tree::{Arm, Head, Item, ItemKind, LoopKind, NEW};
use petgraph::Direction;
use petgraph::visit::EdgeRef;
use rustc_hash::FxHashMap;
use xaif::model::{BoolOp, EdgeId, ElemType, Expr, FlowGraph, Stmt, SymbolId, VarRef, VertexId, VertexKind};

/// Branches inside one block nest no deeper than this.
const MAX_NESTING: usize = 40;

/// Where control is: at a vertex whose own work is still to be done.
type State = VertexId;

/// The code of a graph.
pub(crate) fn nested(graph: &FlowGraph, fresh: &mut Fresh) -> Vec<Item> {
    let mut b = Blocks { graph, arrivals: FxHashMap::default(), numbers: FxHashMap::default(), order: Vec::new(), block: None };
    let Some(entry) = graph.node_indices().find(|&v| matches!(graph[v].kind, VertexKind::Entry)) else { return Vec::new() };
    for e in graph.edge_indices() {
        if let (_, Some(to)) = b.arrive(e) {
            *b.arrivals.entry(to).or_default() += 1;
        }
    }
    let Some(first) = graph.edges(entry).next().map(|e| e.id()) else { return Vec::new() };
    let (start, to) = b.arrive(first);
    let mut out: Vec<Item> = start.into_iter().map(Item::stmt).collect();
    let Some(to) = to else { return out };
    let block = fresh("block", ElemType::INTEGER);
    b.block = Some(block);
    let number = b.number(to);
    out.push(Item::stmt(Stmt::assign(VarRef::whole(block), Expr::int(number))));
    let mut arms = Vec::new();
    let mut done = 0;
    while let Some(&v) = b.order.get(done) {
        done += 1;
        let body = b.run(v, 0);
        arms.push(Arm { values: vec![done as i64], body });
    }
    let iteration = match arms.len() {
        1 => arms.pop().map(|a| a.body).unwrap_or_default(),
        _ => vec![Item {
            id: NEW,
            kind: ItemKind::Branch { head: Box::default(), condition: Box::new(Expr::sym(block)), arms: Box::new(arms) },
        }],
    };
    let goes_on = Expr::boolean(BoolOp::NotEqual, [Expr::sym(block), Expr::int(0)]);
    out.push(Item::repeat(LoopKind::While(Box::new(goes_on)), iteration));
    out
}

struct Blocks<'a> {
    graph: &'a FlowGraph,
    /// From how many places control comes to a state.
    arrivals: FxHashMap<State, usize>,
    numbers: FxHashMap<State, i64>,
    order: Vec<State>,
    block: Option<SymbolId>,
}

impl Blocks<'_> {
    fn only_edge(&self, v: VertexId) -> Option<EdgeId> {
        self.graph.edges(v).next().map(|e| e.id())
    }

    /// Follows an edge to the next vertex that does something; on the way a loop's initialization or update is executed. `None`: the exit.
    fn arrive(&self, edge: EdgeId) -> (Vec<Stmt>, Option<State>) {
        let mut stmts = Vec::new();
        let mut at = edge;
        for _ in 0..=self.graph.node_count() {
            let Some((from, to)) = self.graph.edge_endpoints(at) else { return (stmts, None) };
            let next = match &self.graph[to].kind {
                VertexKind::Block { .. } | VertexKind::Branch(_) | VertexKind::Pre(_) => return (stmts, Some(to)),
                VertexKind::For(f) => {
                    stmts.push(if matches!(self.graph[from].kind, VertexKind::EndLoop) { f.update.clone() } else { f.init.clone() });
                    return (stmts, Some(to));
                }
                VertexKind::Post(_) if matches!(self.graph[from].kind, VertexKind::EndLoop) => return (stmts, Some(to)),
                VertexKind::Post(_) => self.graph.edges(to).find(|e| e.weight().value.is_some_and(|x| x != 0)).map(|e| e.id()),
                VertexKind::Exit => return (stmts, None),
                _ => self.only_edge(to),
            };
            let Some(next) = next else { return (stmts, None) };
            at = next;
        }
        (stmts, None)
    }

    fn number(&mut self, v: State) -> i64 {
        if let Some(&n) = self.numbers.get(&v) {
            return n;
        }
        self.order.push(v);
        let n = self.order.len() as i64;
        self.numbers.insert(v, n);
        n
    }

    /// What happens from a state on, up to the choice of the next block.
    fn run(&mut self, v: State, depth: usize) -> Vec<Item> {
        let mut out = Vec::new();
        let mut at = Some(v);
        while let Some(v) = at.take() {
            match &self.graph[v].kind {
                VertexKind::Block { stmts, .. } => {
                    out.extend(stmts.iter().cloned().map(Item::stmt));
                    match self.only_edge(v) {
                        Some(e) => {
                            let (more, next) = self.go(e, depth);
                            out.extend(more);
                            at = next;
                        }
                        None => out.push(self.choose(0)),
                    }
                }
                VertexKind::Branch(c) | VertexKind::Pre(c) | VertexKind::Post(c) => out.push(self.fork(v, c.clone(), depth)),
                VertexKind::For(f) => out.push(self.fork(v, f.condition.clone(), depth)),
                _ => out.push(self.choose(0)),
            }
        }
        out
    }

    fn fork(&mut self, v: State, condition: Expr, depth: usize) -> Item {
        let mut edges: Vec<EdgeId> = self.graph.edges_directed(v, Direction::Outgoing).map(|e| e.id()).collect();
        edges.sort_unstable();
        let mut arms: Vec<Arm> = Vec::new();
        for e in edges {
            let (mut body, next) = self.go(e, depth + 1);
            if let Some(next) = next {
                body.extend(self.run(next, depth + 1));
            }
            arms.push(Arm { values: self.graph[e].value.into_iter().collect(), body });
        }
        let vertex = &self.graph[v];
        let head = Head { comment: vertex.comment.clone(), text: vertex.text.clone(), span: vertex.span, ..Head::default() };
        Item { id: NEW, kind: ItemKind::Branch { head: Box::new(head), condition: Box::new(condition), arms: Box::new(arms) } }
    }

    /// Along an edge: what is executed on the way, and the state to go on with at once; `None` where the next block has been chosen.
    fn go(&mut self, e: EdgeId, depth: usize) -> (Vec<Item>, Option<State>) {
        let (stmts, to) = self.arrive(e);
        let mut out: Vec<Item> = stmts.into_iter().map(Item::stmt).collect();
        match to {
            Some(to) if self.arrivals.get(&to) == Some(&1) && depth < MAX_NESTING => (out, Some(to)),
            Some(to) => {
                let n = self.number(to);
                out.push(self.choose(n));
                (out, None)
            }
            None => {
                out.push(self.choose(0));
                (out, None)
            }
        }
    }

    fn choose(&self, number: i64) -> Item {
        let block = self.block.unwrap_or(SymbolId(0));
        Item::stmt(Stmt::assign(VarRef::whole(block), Expr::int(number)))
    }
}
