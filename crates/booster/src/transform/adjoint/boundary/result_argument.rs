//! The adjoint of a function's result, where it comes in through an argument that may not be written.
//!
//! ```text
//! subroutine f_b(x, xb, fb)          fb: intent(in)
//!   fb = c*fb; ...              ->     fb1 = fb; fb1 = c*fb1; ...
//! ```
//!
//! Lives here: the copy, for languages that pass it by reference. Never here: the sweeps that use it.

use crate::linearize::fold;
use crate::transform::namer::Namer;
use crate::transform::names::Everywhere;
use crate::transform::walk::symbols_mut;
use xaif::Program;
use xaif::model::{Expr, FlowEdge, FlowGraph, ScopeId, Stmt, StmtKind, SymbolId, VarRef, Vertex, VertexKind};

fn assigns(graph: &FlowGraph, symbol: SymbolId) -> bool {
    graph.node_weights().flat_map(Vertex::stmts).any(|s| match &s.kind {
        StmtKind::Assignment { lhs, .. } => lhs.symbol == symbol,
        StmtKind::Call(c) => c.arguments.iter().any(|a| a.value.as_var().is_some_and(|r| r.symbol == symbol)),
        StmtKind::Runtime { name, arguments } => {
            name == "pop" && arguments.iter().any(|a| a.value.as_var().is_some_and(|r| r.symbol == symbol))
        }
        _ => false,
    })
}

/// The zero that consumes it at the very end tells the caller nothing.
fn drop_last_zero(graph: &mut FlowGraph, symbol: SymbolId) {
    let Some(exit) = graph.node_indices().find(|&v| matches!(graph[v].kind, VertexKind::Exit)) else { return };
    let before: Vec<_> = graph.neighbors_directed(exit, petgraph::Direction::Incoming).collect();
    let [last] = before[..] else { return };
    if let VertexKind::Block { stmts, .. } = &mut graph[last].kind
        && let Some(StmtKind::Assignment { lhs, rhs }) = stmts.last().map(|s| &s.kind)
        && lhs.symbol == symbol
        && fold::number(rhs) == Some(0.0)
    {
        let dropped = stmts.pop();
        // Its comment names the original statement, which the reader may look for.
        if let (Some(dropped), Some(now_last)) = (dropped, stmts.last_mut())
            && !dropped.comment.is_empty()
            && now_last.comment.is_empty()
        {
            now_last.comment = dropped.comment;
        }
    }
}

/// Gives the unit a copy of its own where it overwrites the argument.
pub(crate) fn keep_argument(program: &mut Program, graph: &mut FlowGraph, scope: ScopeId, argument: SymbolId, everywhere: &Everywhere) {
    drop_last_zero(graph, argument);
    if !assigns(graph, argument) {
        return;
    }
    let name = program.symbol(argument).name.clone();
    let ty = program.symbol(argument).ty;
    let copy = Namer::new(program, scope, everywhere).add(program, &name, ty);
    let rank = program.symbol(argument).rank;
    let (type_text, dims) = program.symbol(argument).decl.as_ref().map(|d| (d.type_text.clone(), d.dims.clone())).unwrap_or_default();
    program.symbol_mut(copy).rank = rank;
    let decl = program.symbol_mut(copy).decl.get_or_insert_default();
    (decl.type_text, decl.dims) = (type_text, dims);
    for v in graph.node_weights_mut() {
        symbols_mut(v, &mut |s| {
            if *s == argument {
                *s = copy;
            }
        });
    }
    let first = Stmt::assign(VarRef::whole(copy), Expr::sym(argument));
    let Some(entry) = graph.node_indices().find(|&v| matches!(graph[v].kind, VertexKind::Entry)) else { return };
    let Some(edge) = graph.edges_directed(entry, petgraph::Direction::Outgoing).map(|e| petgraph::visit::EdgeRef::id(&e)).next() else {
        return;
    };
    let Some((_, next)) = graph.edge_endpoints(edge) else { return };
    if graph.neighbors_directed(next, petgraph::Direction::Incoming).count() == 1
        && let VertexKind::Block { stmts, .. } = &mut graph[next].kind
    {
        stmts.insert(0, Box::new(first));
        return;
    }
    let block = graph.add_node(Vertex::new(VertexKind::Block { scope, stmts: vec![Box::new(first)] }));
    graph.remove_edge(edge);
    graph.add_edge(entry, block, FlowEdge::default());
    graph.add_edge(block, next, FlowEdge::default());
}
