//! Internal procedures of derivative units.
//!
//! A derivative of a procedure with CONTAINS calls what its original contains: its forward sweep the procedures themselves, its reverse sweep their
//! adjoints. Both work on the variables of their host, which are others in the derivative. So the derivative gets its own copy of every internal
//! procedure that is called in it, declared in its scope. Never here: derivatives of internal procedures, which are units of the plan like others.

use super::copied;
use super::plan::Plan;
use super::plan::copies::decl_exprs;
use super::walk::symbols_mut;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use xaif::Program;
use xaif::model::{ScopeId, SymbolId, UnitId};

/// Copies the internal procedures that derivative units call into these, and lets the calls go to the copies.
pub(super) fn copy_called(program: &mut Program, plan: &mut Plan) {
    let mut contained: FxHashMap<UnitId, Vec<UnitId>> = FxHashMap::default();
    for u in (0..plan.facts.tables.len()).map(|i| UnitId(i as u32)).filter(|&u| !program.unit(u).is_container()) {
        if let Some(host) = Plan::host(program, plan.facts, u) {
            contained.entry(host).or_default().push(u);
        }
    }
    for at in 0..plan.derived.len() {
        let (original, host) = (plan.derived[at].original, plan.derived[at].unit);
        let Some(inside) = contained.get(&original) else { continue };
        let host_scope = plan.derived[at].scope;
        let mut family: Vec<UnitId> = vec![host];
        family.extend(program.unit_ids().filter(|&u| u != host && program.scope(program.unit(u).scope).parent == Some(host_scope)));
        // What is called, directly or by what is copied.
        let mut wanted: BTreeSet<UnitId> = BTreeSet::new();
        let mut callers = family.clone();
        while let Some(caller) = callers.pop() {
            let named = named_by(program, caller);
            let more: Vec<UnitId> = inside.iter().copied().filter(|&u| named.contains(&program.unit(u).symbol)).collect();
            callers.extend(more.into_iter().filter(|&u| wanted.insert(u)));
        }
        let mut names: FxHashMap<SymbolId, SymbolId> = FxHashMap::default();
        for &u in &wanted {
            let mut name = program.symbol(program.unit(u).symbol).clone();
            name.scope = host_scope;
            name.temp = true;
            names.insert(program.unit(u).symbol, program.add_symbol(name));
        }
        for &u in &wanted {
            let copy = copy(program, plan, at, u, &names);
            family.push(copy);
        }
        for &u in &family {
            let mut graph = std::mem::take(&mut program.units[u.index()].graph);
            graph.node_weights_mut().for_each(|v| symbols_mut(v, &mut |s| *s = names.get(s).copied().unwrap_or(*s)));
            program.units[u.index()].graph = graph;
        }
    }
}

/// All symbols that a unit's graph names.
fn named_by(program: &mut Program, unit: UnitId) -> BTreeSet<SymbolId> {
    let mut out = BTreeSet::new();
    let mut graph = std::mem::take(&mut program.units[unit.index()].graph);
    graph.node_weights_mut().for_each(|v| {
        symbols_mut(v, &mut |s| {
            out.insert(*s);
        });
    });
    program.units[unit.index()].graph = graph;
    out
}

/// The copy of an internal procedure inside the derivative of its host.
fn copy(program: &mut Program, plan: &mut Plan, at: usize, unit: UnitId, names: &FxHashMap<SymbolId, SymbolId>) -> UnitId {
    let host_scope = plan.derived[at].scope;
    let symbol = program.unit(unit).symbol;
    let symbol = names.get(&symbol).copied().unwrap_or(symbol);
    copied::unit(program, unit, Some(host_scope), symbol, &mut |program, s| match names.get(&s) {
        Some(&c) => c,
        None => {
            let c = plan.local(program, at, s);
            declare(program, host_scope, c);
            c
        }
    })
}

/// Declares a variable of the host again, and what its declaration names, where the derivative alone had no use for it.
fn declare(program: &mut Program, host: ScopeId, s: SymbolId) {
    if program.symbol(s).scope != host || program.scope(host).symbols.contains(&s) {
        return;
    }
    let mut named = Vec::new();
    if let Some(mut decl) = program.symbol(s).decl.clone() {
        decl_exprs(&mut decl).for_each(|e| e.for_each_ref(&mut |r| named.push(r.symbol)));
    }
    named.into_iter().for_each(|n| declare(program, host, n));
    program.scopes[host.index()].symbols.push(s);
}
