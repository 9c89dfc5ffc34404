//! Variables that nobody names are not declared.
//!
//! Lives here: the clean-up of scopes of finished adjoint units. Never here: code.

use crate::transform::plan::Plan;
use crate::transform::walk::Pieces;
use rustc_hash::FxHashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use xaif::Program;
use xaif::model::{Bound, ScopeId, Storage, SymbolId, SymbolKind};

/// Takes unused local variables out of the scopes of these derivative units.
pub(crate) fn drop(program: &mut Program, plan: &Plan, units: &[usize]) {
    let marks: Vec<AtomicBool> = program.symbols.iter().map(|_| AtomicBool::new(false)).collect();
    let mark = |s: SymbolId| marks.get(s.index()).is_some_and(|m| !m.swap(true, Ordering::Relaxed));
    let scopes: FxHashSet<ScopeId> = units.iter().map(|&at| plan.derived[at].scope).collect();
    let made: FxHashSet<usize> = units.iter().map(|&at| plan.derived[at].unit.index()).collect();
    let mut pieces = Pieces::default();
    for (_, unit) in program.units.iter_mut().enumerate().filter(|(i, _)| made.contains(i)) {
        unit.formals.iter().for_each(|f| {
            mark(f.symbol);
        });
        pieces.add(&mut unit.graph);
    }
    // Most are marked already: looking costs less than writing what others look at.
    pieces.each_symbol(&|s: &mut SymbolId| {
        if marks.get(s.index()).is_some_and(|m| !m.load(Ordering::Relaxed)) {
            mark(*s);
        }
    });
    // What declarations of used symbols need is used.
    let mut work: Vec<SymbolId> = program.symbol_ids().filter(|s| marks[s.index()].load(Ordering::Relaxed)).collect();
    while let Some(s) = work.pop() {
        // A component needs the variable that it is a part of.
        if let Some((base, _)) = program.symbol(s).name.split_once('%') {
            let table = &program.scope(program.symbol(s).scope).symbols;
            work.extend(table.iter().copied().filter(|b| program.same_name(&program.symbol(*b).name, base) && mark(*b)));
        }
        let Some(decl) = &program.symbol(s).decl else { continue };
        let exprs = decl.dims.iter().flat_map(|d| [&d.lower, &d.upper]).filter_map(|b| match b {
            Bound::Expr(e) => Some(e),
            Bound::Unknown => None,
        });
        let mut found = Vec::new();
        for e in exprs.chain(&decl.init) {
            e.for_each_ref(&mut |r| found.push(r.symbol));
        }
        work.extend(found.into_iter().filter(|&f| mark(f)));
    }
    let droppable = |program: &Program, s: SymbolId| {
        let symbol = program.symbol(s);
        symbol.kind == SymbolKind::Variable && matches!(symbol.storage(), Storage::Local) && !marks[s.index()].load(Ordering::Relaxed)
    };
    for scope in scopes {
        let mut list = std::mem::take(&mut program.scopes[scope.index()].symbols);
        let (dropped, kept): (Vec<SymbolId>, Vec<SymbolId>) = list.into_iter().partition(|&s| droppable(program, s));
        list = kept;
        let dropped: FxHashSet<SymbolId> = dropped.into_iter().collect();
        // An adjoint may outlive its variable.
        for &s in &list {
            if let Some(decl) = program.symbols[s.index()].decl.as_mut()
                && decl.derivative_of.is_some_and(|of| dropped.contains(&of))
            {
                decl.derivative_of = None;
            }
        }
        program.scopes[scope.index()].symbols = list;
    }
}
