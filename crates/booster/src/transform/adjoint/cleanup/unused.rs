//! Variables that nobody names are not declared.
//!
//! Lives here: the clean-up of scopes of finished adjoint units. Never here: code.

use crate::transform::plan::Plan;
use crate::transform::walk::Pieces;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use xaif::Program;
use xaif::model::{ScopeId, Storage, SymbolId, SymbolKind};

/// The symbols that code names.
#[derive(Default)]
pub(crate) struct Named(Vec<AtomicBool>);

impl Named {
    /// Makes room for the symbols of a program.
    pub fn grow(&mut self, program: &Program) {
        self.0.resize_with(program.symbols.len(), AtomicBool::default);
    }

    /// Notes a symbol; true for a new one.
    pub fn add(&self, s: SymbolId) -> bool {
        // Most are there already: looking costs less than writing what others look at.
        self.0.get(s.index()).is_some_and(|m| !m.load(Ordering::Relaxed) && !m.swap(true, Ordering::Relaxed))
    }

    fn has(&self, s: SymbolId) -> bool {
        self.0.get(s.index()).is_some_and(|m| m.load(Ordering::Relaxed))
    }
}

/// Takes unused local variables out of the scopes of these derivative units; `named` has what the code of those that `looked` are listed in names.
pub(crate) fn drop(program: &mut Program, plan: &Plan, units: &[usize], mut named: Named, looked: &FxHashSet<usize>) {
    named.grow(program);
    let scopes: FxHashSet<ScopeId> = units.iter().map(|&at| plan.derived[at].scope).collect();
    let made: FxHashMap<usize, bool> = units.iter().map(|&at| (plan.derived[at].unit.index(), looked.contains(&at))).collect();
    let mut pieces = Pieces::default();
    for (i, unit) in program.units.iter_mut().enumerate() {
        let Some(looked) = made.get(&i) else { continue };
        unit.formals.iter().for_each(|f| {
            named.add(f.symbol);
        });
        if !looked {
            pieces.add(&mut unit.graph);
        }
    }
    pieces.each_symbol(&|s: &mut SymbolId| {
        named.add(*s);
    });
    // What declarations of used symbols need is used.
    let mut work: Vec<SymbolId> = program.symbol_ids().filter(|&s| named.has(s)).collect();
    while let Some(s) = work.pop() {
        // A component needs the variable that it is a part of.
        if let Some((base, _)) = program.symbol(s).name.split_once('%') {
            let table = &program.scope(program.symbol(s).scope).symbols;
            work.extend(table.iter().copied().filter(|b| program.same_name(&program.symbol(*b).name, base) && named.add(*b)));
        }
        let Some(decl) = &program.symbol(s).decl else { continue };
        let mut found = Vec::new();
        for e in decl.bound_exprs().chain(&decl.init) {
            e.for_each_ref(&mut |r| found.push(r.symbol));
        }
        work.extend(found.into_iter().filter(|&f| named.add(f)));
    }
    let droppable = |program: &Program, s: SymbolId| {
        let symbol = program.symbol(s);
        symbol.kind == SymbolKind::Variable && matches!(symbol.storage(), Storage::Local) && !named.has(s)
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
