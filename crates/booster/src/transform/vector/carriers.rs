//! Which variables take a derivative: those that the plan made for it, what is set to one, what is passed for one.
//!
//! Variables that a booster has made serve for one value after another, derivatives and others. Where such a variable is set before it is read in each block, it is
//! told apart value by value, and another variable takes the derivatives. Never here: declarations.

use super::expressions::depends;
use crate::transform::namer::Namer;
use crate::transform::plan::Plan;
use crate::transform::walk::{expr_symbols_mut, stmt_symbols_mut, symbols_mut};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use xaif::Program;
use xaif::model::{Stmt, StmtKind, Storage, SymbolId, UnitId, VertexKind};

/// All variables that take a derivative, where `callees` are the units for several directions by their names, starting from `found`; those that also take other values are split before.
pub(super) fn closed(
    program: &mut Program,
    plan: &Plan,
    units: &[usize],
    callees: &FxHashMap<SymbolId, UnitId>,
    mut found: FxHashSet<SymbolId>,
) -> BTreeSet<SymbolId> {
    let passing: Vec<FxHashSet<SymbolId>> = units.iter().map(|&at| passing(program, plan, at)).collect();
    loop {
        let mut more: Vec<SymbolId> = Vec::new();
        for (&at, passing) in units.iter().zip(&passing) {
            for v in program.unit(plan.derived[at].unit).graph.node_weights() {
                let mut wide: FxHashSet<SymbolId> = FxHashSet::default();
                for s in v.stmts() {
                    match &s.kind {
                        StmtKind::Assignment { lhs, rhs } => {
                            let takes = depends(rhs, &|s| found.contains(&s) || wide.contains(&s));
                            match (passing.contains(&lhs.symbol), takes) {
                                (true, true) => {
                                    wide.insert(lhs.symbol);
                                }
                                (true, false) => {
                                    wide.remove(&lhs.symbol);
                                }
                                (false, true) if !found.contains(&lhs.symbol) => more.push(lhs.symbol),
                                (false, _) => {}
                            }
                        }
                        StmtKind::Call(c) => {
                            let Some(&callee) = callees.get(&c.callee) else { continue };
                            for f in program.unit(callee).formals.iter().filter(|f| found.contains(&f.symbol)) {
                                let actual = c.arguments.iter().find(|a| a.position == f.position).and_then(|a| a.value.as_var());
                                more.extend(actual.map(|r| r.symbol).filter(|s| !found.contains(s)));
                            }
                        }
                        _ => {}
                    }
                }
            }
        }
        if more.is_empty() {
            break;
        }
        found.extend(more);
    }
    for (&at, passing) in units.iter().zip(&passing) {
        split(program, plan, at, passing, &mut found);
    }
    found.into_iter().collect()
}

/// Local variables that were made, whole ones, that assignments set before anything of the block reads them, and that nothing else mentions.
fn passing(program: &Program, plan: &Plan, at: usize) -> FxHashSet<SymbolId> {
    let d = &plan.derived[at];
    let mut out: FxHashSet<SymbolId> = program.scope(d.scope).symbols.iter().copied().collect();
    out.retain(|&s| {
        let symbol = program.symbol(s);
        symbol.temp && symbol.rank == 0 && *symbol.storage() == Storage::Local && symbol.ty.is_real()
    });
    for (_, c) in d.companions() {
        out.remove(&c);
    }
    for v in program.unit(d.unit).graph.node_weights() {
        let VertexKind::Block { stmts, .. } = &v.kind else {
            symbols_mut(&mut v.clone(), &mut |s| {
                out.remove(s);
            });
            continue;
        };
        let mut set: FxHashSet<SymbolId> = FxHashSet::default();
        for s in stmts {
            match &s.kind {
                StmtKind::Assignment { lhs, rhs } if lhs.subscripts.is_empty() => {
                    rhs.for_each_ref(&mut |r| {
                        if !set.contains(&r.symbol) {
                            out.remove(&r.symbol);
                        }
                    });
                    set.insert(lhs.symbol);
                }
                StmtKind::Assignment { lhs, rhs } => {
                    let mut read = |r: &xaif::model::VarRef| {
                        if !set.contains(&r.symbol) {
                            out.remove(&r.symbol);
                        }
                    };
                    rhs.for_each_ref(&mut read);
                    lhs.index_exprs().for_each(|e| e.for_each_ref(&mut read));
                }
                _ => stmt_symbols_mut(&mut s.clone(), &mut |s| {
                    out.remove(s);
                }),
            }
        }
    }
    out
}

/// Gives the derivatives among the values of passing variables variables of their own.
fn split(program: &mut Program, plan: &Plan, at: usize, passing: &FxHashSet<SymbolId>, found: &mut FxHashSet<SymbolId>) {
    let d = &plan.derived[at];
    let mut graph = std::mem::take(&mut program.units[d.unit.index()].graph);
    // Variables that take other values, too.
    let mut mixed: FxHashSet<SymbolId> = FxHashSet::default();
    let mut only: FxHashSet<SymbolId> = FxHashSet::default();
    for v in graph.node_weights() {
        each_value(v.stmts(), passing, found, &mut |s, takes| {
            if takes {
                only.insert(s);
            } else {
                mixed.insert(s);
            }
        });
    }
    only.retain(|s| !mixed.contains(s) || found.contains(s));
    let mut twins: FxHashMap<SymbolId, SymbolId> = FxHashMap::default();
    let mut namer = Namer::new(program, d.scope, &plan.everywhere);
    for v in graph.node_weights_mut() {
        let VertexKind::Block { stmts, .. } = &mut v.kind else { continue };
        let mut takes: Vec<bool> = Vec::new();
        each_value(stmts, passing, found, &mut |_, t| takes.push(t));
        let mut takes = takes.into_iter();
        let mut now: FxHashMap<SymbolId, SymbolId> = FxHashMap::default();
        for s in stmts {
            let StmtKind::Assignment { lhs, rhs } = &mut s.kind else { continue };
            let rename = |now: &FxHashMap<SymbolId, SymbolId>, s: &mut SymbolId| {
                if let Some(&t) = now.get(s) {
                    *s = t;
                }
            };
            expr_symbols_mut(rhs, &mut |s| rename(&now, s));
            lhs.index_exprs_mut().for_each(|e| expr_symbols_mut(e, &mut |s| rename(&now, s)));
            if !passing.contains(&lhs.symbol) {
                continue;
            }
            let own = lhs.symbol;
            if takes.next().unwrap_or_default() && mixed.contains(&own) {
                let twin = *twins.entry(own).or_insert_with(|| {
                    let (name, ty) = (program.symbol(own).name.clone(), program.symbol(own).ty);
                    namer.add(program, &name, ty)
                });
                now.insert(own, twin);
                lhs.symbol = twin;
            } else {
                now.remove(&own);
            }
        }
    }
    found.extend(only);
    found.extend(twins.into_values());
    program.units[d.unit.index()].graph = graph;
}

/// For each value that a passing variable is given in a block, in order: whether it is a derivative.
fn each_value(stmts: &[Box<Stmt>], passing: &FxHashSet<SymbolId>, found: &FxHashSet<SymbolId>, visit: &mut dyn FnMut(SymbolId, bool)) {
    let mut wide: FxHashSet<SymbolId> = FxHashSet::default();
    for s in stmts {
        let StmtKind::Assignment { lhs, rhs } = &s.kind else { continue };
        let takes = depends(rhs, &|s| found.contains(&s) || wide.contains(&s));
        if passing.contains(&lhs.symbol) {
            if takes {
                wide.insert(lhs.symbol);
            } else {
                wide.remove(&lhs.symbol);
            }
            visit(lhs.symbol, takes);
        }
    }
}
