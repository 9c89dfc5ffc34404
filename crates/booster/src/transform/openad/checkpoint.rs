//! Placeholders 4 to 13: storing and restoring of arguments, results, time steps and derivatives.

use super::steps::inline;
use xaif::model::{BaseType, FlowGraph, Program, ScopeId, Stmt, UnitId, VarRef, VertexKind};

/// Entry, one block, exit, annotated as stock tools do.
pub fn block(stmts: Vec<Stmt>, scope: ScopeId) -> FlowGraph {
    let mut graph = FlowGraph::default();
    let mut add = |kind, annotation: &str| {
        let mut v = xaif::model::Vertex::new(kind);
        v.annotation = annotation.into();
        graph.add_node(v)
    };
    let entry = add(VertexKind::Entry, "cp_entry");
    let middle = add(VertexKind::Block { scope, stmts: stmts.into_iter().map(Box::new).collect() }, "cp_basicblock");
    let exit = add(VertexKind::Exit, "cp_exit");
    graph.add_edge(entry, middle, Default::default());
    graph.add_edge(middle, exit, Default::default());
    graph
}

const SHAPES: [&str; 8] = ["scalar", "vector", "matrix", "three_tensor", "four_tensor", "five_tensor", "six_tensor", "seven_tensor"];

fn call(program: &Program, what: &str, r: &VarRef, suffix: &str) -> Option<Stmt> {
    let s = program.symbol(r.symbol);
    let ty = match s.ty.base {
        BaseType::Real => "real",
        BaseType::Integer => "integer",
        BaseType::Bool => "bool",
        BaseType::String => "string",
        _ => return None,
    };
    let active = if s.active && s.ty.is_real() { "_a" } else { "" };
    let name = format!("cp_arg_{what}_{ty}_{}{active}{suffix}", SHAPES[usize::from(s.rank.min(7))]);
    Some(inline(&name, "inline_checkpoint", [VarRef { origin: None, ..r.clone() }]))
}

fn pair<'a>(program: &Program, list: impl Iterator<Item = &'a VarRef> + Clone, suffix: &str) -> (Vec<Stmt>, Vec<Stmt>) {
    let store = list.clone().filter_map(|r| call(program, "store", r, suffix)).collect();
    let mut restore: Vec<Stmt> = list.filter_map(|r| call(program, "restore", r, suffix)).collect();
    restore.reverse();
    (store, restore)
}

/// Placeholders 4 and 6: what the unit reads.
pub fn arguments(program: &Program, id: UnitId) -> (Vec<Stmt>, Vec<Stmt>) {
    pair(program, program.unit(id).effects.read.iter().flatten(), "")
}

/// Placeholders 8 and 9: what it modifies, then what it reads itself and does not modify.
pub fn time_step(program: &Program, id: UnitId) -> (Vec<Stmt>, Vec<Stmt>) {
    let effects = &program.unit(id).effects;
    let modified: Vec<&VarRef> = effects.modified.iter().flatten().collect();
    let read = effects.read_local.iter().flatten().filter(|r| !modified.iter().any(|m| m.symbol == r.symbol));
    let all: Vec<&VarRef> = modified.iter().copied().chain(read).collect();
    pair(program, all.iter().copied(), "")
}

/// Placeholders 12 and 13: derivatives of the active variables that it modifies.
pub fn derivatives(program: &Program, id: UnitId) -> (Vec<Stmt>, Vec<Stmt>) {
    let active = |r: &&VarRef| program.symbol(r.symbol).active && program.symbol(r.symbol).ty.is_real();
    pair(program, program.unit(id).effects.modified.iter().flatten().filter(active), "_d")
}
