//! What units do with their arguments: which are only read, which are recorded.
//!
//! Lives here: passes over all units before any is printed. Never here: text.

use rustc_hash::{FxHashMap, FxHashSet};
use xaif::Program;
use xaif::model::{Intent, Passing, StmtKind, SymbolId, Unit};

/// What some unit puts on the stack.
pub(crate) fn recorded(program: &Program) -> FxHashSet<SymbolId> {
    let mut found = FxHashSet::default();
    for s in program.units.iter().flat_map(|u| u.graph.node_weights()).flat_map(|v| v.stmts()) {
        if let StmtKind::Runtime { name, arguments } = &s.kind
            && name == "push"
        {
            found.extend(arguments.iter().filter_map(|a| a.value.as_var()).map(|r| r.symbol));
        }
    }
    found
}

/// Formals whose declared direction makes them pointers to constants in C. (C itself says `const`.)
pub(crate) fn constant_formals(program: &Program) -> FxHashSet<SymbolId> {
    let formals = program.units.iter().flat_map(|u| &u.formals);
    let mut constant: FxHashSet<SymbolId> = formals
        // In C a pointer to rows cannot become a pointer to constant rows.
        .filter(|f| f.intent_declared && f.intent == Intent::In && program.symbol(f.symbol).rank < 2)
        .filter(|f| program.symbol(f.symbol).passing() != Passing::Value)
        .map(|f| f.symbol)
        .collect();
    // For each call: what is passed, and the formal that takes it.
    let by_symbol: FxHashMap<SymbolId, &Unit> = program.units.iter().map(|u| (u.symbol, u)).collect();
    let mut passed: Vec<(SymbolId, Option<SymbolId>)> = Vec::new();
    for s in program.units.iter().flat_map(|u| u.graph.node_weights()).flat_map(|v| v.stmts()) {
        let StmtKind::Call(call) = &s.kind else { continue };
        let callee = by_symbol.get(&call.callee);
        for a in &call.arguments {
            let Some(r) = a.value.as_var() else { continue };
            passed.push((r.symbol, callee.and_then(|u| u.formals.iter().find(|f| f.position == a.position)).map(|f| f.symbol)));
        }
    }
    loop {
        let before = constant.len();
        for (given, taken) in &passed {
            let by_value = taken.is_some_and(|t| program.symbol(t).passing() == Passing::Value);
            if !by_value && taken.is_none_or(|t| !constant.contains(&t)) {
                constant.remove(given);
            }
        }
        if constant.len() == before {
            return constant;
        }
    }
}
