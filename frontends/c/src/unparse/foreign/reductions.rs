//! Sums and the like that stand where C has no place for their loops: they get a statement of their own in front.
//!
//! ```text
//! if (maxval(abs(d)) < eps .or. k > 9) ...      ->      t = maxval(abs(d));  if (t < eps .or. k > 9) ...
//! ```
//!
//! Lives here: which ones, and their variables. Never here: loops. What a loop asks for at its head stays there: it is asked for again.

use super::free_names::free_name;
use petgraph::Direction::{Incoming, Outgoing};
use xaif::model::{
    BoolOp, Expr, FlowGraph, Node, NodeId, NodeKind, Program, ScopeId, Stmt, StmtKind, Stmts, Symbol, VarRef, VertexId, VertexKind,
};
use xaif::types;

const NAMES: [&str; 4] = ["sum_arr", "dot_product_arr", "maxval_arr", "minval_arr"];

/// Gives them these statements.
pub(super) fn apart(program: &mut Program) {
    for id in program.unit_ids() {
        let scope = program.unit(id).scope;
        let mut graph = std::mem::take(&mut program.units[id.index()].graph);
        for v in graph.node_indices().collect::<Vec<_>>() {
            match &mut graph[v].kind {
                VertexKind::Block { stmts, .. } if stmts.iter().any(|s| is_out_of_place(s)) => {
                    let mut out = Stmts::with_capacity(stmts.len());
                    for mut s in std::mem::take(stmts) {
                        if is_out_of_place(&s) {
                            let like = (*s).clone();
                            if let StmtKind::Assignment { rhs, .. } = &mut s.kind {
                                out.extend(hoisted(program, scope, rhs, &like));
                            }
                        }
                        out.push(s);
                    }
                    *stmts = out;
                }
                VertexKind::Branch(e) if has_reduction(e) => {
                    let Some(before) = block_before(&graph, v) else { continue };
                    let VertexKind::Branch(e) = &mut graph[v].kind else { continue };
                    let mut e = std::mem::take(e);
                    let like = Stmt {
                        span: graph[v].span,
                        line: graph[v].line,
                        ..Stmt::assign(VarRef::whole(xaif::model::SymbolId(0)), Expr::int(0))
                    };
                    let made = hoisted(program, scope, &mut e, &like);
                    graph[v].kind = VertexKind::Branch(e);
                    if let VertexKind::Block { stmts, .. } = &mut graph[before].kind {
                        stmts.extend(made);
                    }
                }
                _ => {}
            }
        }
        program.units[id.index()].graph = graph;
    }
}

/// The block from which alone a vertex is reached, and nothing else.
fn block_before(graph: &FlowGraph, v: VertexId) -> Option<VertexId> {
    let mut before = graph.neighbors_directed(v, Incoming);
    let (first, more) = (before.next()?, before.next());
    let alone = more.is_none() && graph.neighbors_directed(first, Outgoing).count() == 1;
    (alone && matches!(graph[first].kind, VertexKind::Block { .. })).then_some(first)
}

fn is_reduction(kind: &NodeKind) -> bool {
    matches!(kind, NodeKind::Op(op) if NAMES.contains(&op.name.as_str()))
}

fn has_reduction(e: &Expr) -> bool {
    e.nodes.iter().any(|n| is_reduction(&n.kind))
}

/// A reduction in another one, or where it is not always evaluated.
fn is_out_of_place(s: &Stmt) -> bool {
    let StmtKind::Assignment { rhs, .. } = &s.kind else { return false };
    if !has_reduction(rhs) {
        return false;
    }
    let chooses = |n: &Node| match &n.kind {
        NodeKind::Op(op) => op.name == "select",
        NodeKind::Bool(op) => matches!(op, BoolOp::And | BoolOp::Or),
        _ => false,
    };
    let inside = |n: &Node, from: usize| n.operands.iter().skip(from).any(|&o| has_reduction(&rhs.subexpr(o)));
    rhs.nodes.iter().any(|n| is_reduction(&n.kind) && inside(n, 0) || chooses(n) && inside(n, 1))
}

/// The statements that set what takes the place of the reductions of an expression.
fn hoisted(program: &mut Program, scope: ScopeId, e: &mut Expr, like: &Stmt) -> Stmts {
    let types = types::of_expr(program, e);
    let mut out = Vec::new();
    let mut done: Vec<Expr> = Vec::with_capacity(e.nodes.len());
    for (k, n) in e.nodes.iter().enumerate() {
        let over_arrays = n.operands.iter().any(|o| types[o.index()].rank > 0);
        let made = if n.operands.is_empty() {
            e.subexpr(NodeId(k as u32))
        } else {
            Expr::node(n.kind.clone(), n.operands.iter().map(|o| done[o.index()].clone()))
        };
        done.push(if is_reduction(&n.kind) && over_arrays {
            let name = free_name(program, scope, "reduced");
            let t = program.add_symbol(Symbol { temp: true, ..Symbol::variable(name, types[k].elem, scope) });
            let kind = StmtKind::Assignment { lhs: VarRef::whole(t), rhs: made };
            out.push(Box::new(Stmt { kind, id: Default::default(), step: None, comment: Default::default(), ..like.clone() }));
            Expr::sym(t)
        } else {
            made
        });
    }
    *e = done.pop().unwrap_or_default();
    out
}
