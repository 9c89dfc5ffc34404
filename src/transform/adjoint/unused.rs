//! Variables that nobody names are not declared.
//!
//! Lives here: the clean-up of scopes of finished adjoint units. Never here: code.

use crate::transform::plan::Plan;
use crate::transform::walk::symbols_mut;
use rustc_hash::FxHashSet;
use xaif::Program;
use xaif::model::{Bound, ScopeId, Storage, SymbolId, SymbolKind};

/// Takes unused local variables out of the scopes of these derivative units.
pub(crate) fn drop(program: &mut Program, plan: &Plan, units: &[usize]) {
    let mut used: FxHashSet<SymbolId> = FxHashSet::default();
    let scopes: FxHashSet<ScopeId> = units.iter().map(|&at| plan.derived[at].scope).collect();
    for &at in units {
        let unit = &mut program.units[plan.derived[at].unit.index()];
        for v in unit.graph.node_weights_mut() {
            symbols_mut(v, &mut |s| {
                used.insert(*s);
            });
        }
        used.extend(unit.formals.iter().map(|f| f.symbol));
    }
    // What declarations of used symbols need is used.
    let mut work: Vec<SymbolId> = used.iter().copied().collect();
    while let Some(s) = work.pop() {
        // A component needs the variable that it is a part of.
        if let Some((base, _)) = program.symbol(s).name.split_once('%') {
            let table = &program.scope(program.symbol(s).scope).symbols;
            work.extend(table.iter().copied().filter(|b| program.same_name(&program.symbol(*b).name, base) && used.insert(*b)));
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
        work.extend(found.into_iter().filter(|&f| used.insert(f)));
    }
    let droppable = |program: &Program, s: SymbolId| {
        let symbol = program.symbol(s);
        symbol.kind == SymbolKind::Variable && matches!(symbol.storage(), Storage::Local) && !used.contains(&s)
    };
    for scope in scopes {
        let mut list = std::mem::take(&mut program.scopes[scope.index()].symbols);
        let (dropped, kept): (Vec<SymbolId>, Vec<SymbolId>) = list.into_iter().partition(|&s| droppable(program, s));
        list = kept;
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
