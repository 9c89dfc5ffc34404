//! Calls of units that are not in the file.
//!
//! What such a unit does is not known, unless the document says it: chains name the statements that may have set what is read (`du_ud`), and calls among them. A call
//! that no chain of its arguments names changes none of them that anybody reads, so derivatives go by it unchanged.
//!
//! Lives here: what the document says of them. Never here: statements.

use crate::analysis::program::addresses::{Addresses, references, sets};
use rustc_hash::FxHashSet;
use xaif::Program;
use xaif::model::{Call, Stmt, StmtKind, SymbolId, UnitId, VertexId};

/// Whether the document says that a call changes no real argument that anything reads behind it.
pub fn leaves_alone(program: &Program, unit: UnitId, stmt: &Stmt, call: &Call) -> bool {
    let own = program.unit(unit).scope;
    let reals = || call.arguments.iter().filter_map(|a| a.value.as_var()).filter(|r| program.symbol(r.symbol).ty.is_real());
    let local = |s: SymbolId| program.symbol(s).scope == own && program.unit(unit).formals.iter().all(|f| f.symbol != s);
    // A unit sees more than one element of an array from it on.
    if stmt.id.is_empty() || reals().any(|r| !local(r.symbol) || r.subscripts.iter().any(|t| !t.is_section())) {
        return false;
    }
    let mut asked: FxHashSet<SymbolId> = reals().map(|r| r.symbol).collect();
    let pairs = Addresses::of(program, &sets(program), unit).pairs;
    let near: Vec<SymbolId> =
        pairs.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).filter(|(a, _)| asked.contains(a)).map(|(_, b)| b).collect();
    if !near.iter().all(|&s| local(s)) {
        return false;
    }
    asked.extend(near);
    let refs = references(program, unit);
    // Other such calls hand nothing on.
    let handed = |(v, k): (VertexId, usize)| match program.unit(unit).graph[v].stmts().get(k).map(|s| &s.kind) {
        Some(StmtKind::Call(c)) => program.unit_of_symbol(c.callee).is_none(),
        _ => false,
    };
    refs.iter().filter(|(at, _, r, set)| !set && asked.contains(&r.symbol) && !handed(*at)).all(|(_, _, r, _)| {
        let chain = program.duud_sets.iter().find(|s| s.key != 0 && s.key == r.du_ud());
        chain.is_some_and(|c| c.statements.iter().all(|id| *id != *stmt.id))
    })
}
