//! Symbols numbered in the order in which a document lists them.
//!
//! A program that was written and read again has its symbols in that order; one that was made in memory need not. What depends on
//! the order of handles (which declaration comes first) must not tell the two apart.
//!
//! Lives here: the renumbering. Never here: the order of scopes and units, which a document keeps.

use super::walk::{Pieces, expr_symbols_mut, ref_symbols_mut};
use xaif::Program;
use xaif::model::{Bound, Expr, SymbolId};

/// Renumbers all symbols: scope by scope, each in the order of its table.
pub(crate) fn as_documented(program: &mut Program) {
    let mut order: Vec<SymbolId> = Vec::with_capacity(program.symbols.len());
    let mut known = vec![false; program.symbols.len()];
    let listed = program.scopes.iter().flat_map(|s| s.symbols.iter().copied());
    for s in listed.chain(program.symbol_ids()) {
        if !std::mem::replace(&mut known[s.index()], true) {
            order.push(s);
        }
    }
    if order.iter().enumerate().any(|(i, s)| i != s.index()) {
        renumber(program, &order);
    }
}

/// Gives symbols the numbers that they have in a list. Those that are not in it go: nothing may name them.
pub(crate) fn renumber(program: &mut Program, order: &[SymbolId]) {
    let mut place = vec![u32::MAX; program.symbols.len()];
    order.iter().enumerate().for_each(|(i, s)| place[s.index()] = i as u32);
    let mut old: Vec<Option<_>> = std::mem::take(&mut program.symbols).into_iter().map(Some).collect();
    program.symbols = order.iter().filter_map(|s| old[s.index()].take()).collect();
    let change = &mut |s: &mut SymbolId| s.0 = place[s.index()];
    for scope in &mut program.scopes {
        scope.symbols.iter_mut().for_each(&mut *change);
    }
    for decl in program.symbols.iter_mut().filter_map(|s| s.decl.as_mut()) {
        let bounds = decl.dims.iter_mut().flat_map(|d| [&mut d.lower, &mut d.upper]);
        let exprs = bounds.filter_map(|b| match b {
            Bound::Expr(e) => Some(e),
            Bound::Unknown => None,
        });
        exprs.chain(&mut decl.init).for_each(|e: &mut Expr| expr_symbols_mut(e, change));
        decl.derivative_of.iter_mut().for_each(&mut *change);
    }
    let mut pieces = Pieces::default();
    for unit in &mut program.units {
        change(&mut unit.symbol);
        unit.formals.iter_mut().for_each(|f| change(&mut f.symbol));
        let e = &mut unit.effects;
        let lists = [&mut e.mod_local, &mut e.modified, &mut e.read_local, &mut e.read, &mut e.on_entry];
        lists.into_iter().flatten().flatten().for_each(|r| ref_symbols_mut(r, change));
        pieces.add(&mut unit.graph);
        for r in unit.replacements.iter_mut().flat_map(|(_, list)| list) {
            pieces.add(&mut r.graph);
        }
    }
    pieces.each_symbol(&|s: &mut SymbolId| s.0 = place[s.index()]);
}
