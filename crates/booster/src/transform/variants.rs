//! Variants of units: copies for calls that need less of the derivative.
//!
//! ```text
//! s = dot(n, a, x)        only x varies            dot_x_b(n, a, x, xb, sb)
//! t = dot(n, x, y)        both vary          ->    dot_b(n, x, xb, y, yb, tb)
//! ```
//!
//! Which calls these are, [`crate::analysis::activity::patterns`] finds. While a program is differentiated it has a copy of the unit for each group of them, which every analysis and
//! transformation sees as a unit like any other; afterwards the copies go, their derivatives stay, and the primal calls are those of the user's unit again.
//!
//! Lives here: copies that come and go. Never here: what is active in them.

use super::copied;
use super::order::renumber;
use super::walk::Pieces;
use crate::analysis::activity::patterns::Pattern;
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::Program;
use xaif::model::{ScopeId, StmtKind, SymbolId, UnitId, VertexKind};

/// How often the calls in variants may get variants in turn.
pub(super) const REPETITIONS: usize = 4;

/// So many statements all variants may have in any case.
const SHORT: usize = 1000;

/// The variants of a program.
#[derive(Clone, Debug, Default)]
pub(super) struct Variants {
    /// What each is a copy of.
    pub of: FxHashMap<UnitId, UnitId>,
    /// The names in calls: those of copies with those of the user's units.
    names: FxHashMap<SymbolId, SymbolId>,
    /// How many statements were copied.
    statements: usize,
}

impl Variants {
    /// The user's unit that a unit is a variant of.
    fn original(&self, unit: UnitId) -> Option<UnitId> {
        self.of.get(&unit).copied()
    }

    /// Makes a variant for each group of calls and lets the calls go there; true if there is any. All variants together are not longer than the program, if
    /// that is long.
    pub(super) fn add(&mut self, program: &mut Program, patterns: Vec<Pattern>) -> bool {
        // Most programs need none: their length is not asked for.
        if patterns.is_empty() {
            return false;
        }
        let length = |p: &Program, u: UnitId| p.unit(u).graph.node_weights().map(|v| v.stmts().len().max(1)).sum::<usize>();
        let all: usize = program.unit_ids().filter(|u| !self.of.contains_key(u)).map(|u| length(program, u)).sum();
        let mut any = false;
        for Pattern { unit, like, sites } in patterns {
            let symbol = match like {
                Some(sibling) => program.unit(sibling).symbol,
                None if self.statements + length(program, unit) > all.max(SHORT) => continue,
                None => {
                    self.statements += length(program, unit);
                    self.copy(program, unit)
                }
            };
            any = true;
            for site in sites {
                let vertex = program.units[site.caller.index()].graph.node_weight_mut(site.vertex);
                if let Some(VertexKind::Block { stmts, .. }) = vertex.map(|v| &mut v.kind)
                    && let Some(StmtKind::Call(call)) = stmts.get_mut(site.statement).map(|s| &mut s.kind)
                {
                    call.callee = symbol;
                }
            }
        }
        any
    }

    /// A copy of a unit; gives its name.
    fn copy(&mut self, program: &mut Program, unit: UnitId) -> SymbolId {
        let original = program.unit(unit).symbol;
        // No scope lists it: whoever looks for the name finds the user's unit.
        let symbol = SymbolId(program.symbols.len() as u32);
        program.symbols.push(program.symbol(original).clone());
        let parent = program.scope(program.unit(unit).scope).parent;
        let copy = copied::unit(program, unit, parent, symbol, &mut |_, s| s);
        let (span, reversal) = (program.unit(unit).span, program.unit(unit).reversal);
        let made = &mut program.units[copy.index()];
        (made.span, made.reversal) = (span, reversal);
        self.of.insert(copy, self.original(unit).unwrap_or(unit));
        self.names.insert(symbol, self.names.get(&original).copied().unwrap_or(original));
        symbol
    }

    /// Lets all primal calls go to the user's units again.
    pub(super) fn call_originals(&self, program: &mut Program) {
        if self.names.is_empty() {
            return;
        }
        let mut pieces = Pieces::default();
        program.units.iter_mut().for_each(|unit| pieces.add(&mut unit.graph));
        pieces.each_symbol(&|s: &mut SymbolId| *s = self.names.get(s).copied().unwrap_or(*s));
    }

    /// Takes the copies out of a program; what is derived from them is derived from the user's units.
    pub(super) fn withdraw(&self, program: &mut Program) {
        if self.of.is_empty() {
            return;
        }
        for d in program.units.iter_mut().filter_map(|u| u.derivation.as_mut()) {
            d.of = self.original(d.of).unwrap_or(d.of);
        }
        let scopes: FxHashSet<ScopeId> = self.of.keys().map(|&u| program.unit(u).scope).collect();
        program.remove_units(&|u| self.of.contains_key(&u));
        let stays = |s: &SymbolId| !self.names.contains_key(s) && !scopes.contains(&program.symbol(*s).scope);
        let order: Vec<SymbolId> = program.symbol_ids().filter(stays).collect();
        renumber(program, &order);
        remove_scopes(program, &scopes);
    }
}

/// Takes scopes out in which there is nothing, and numbers the others anew.
fn remove_scopes(program: &mut Program, gone: &FxHashSet<ScopeId>) {
    let mut next = 0;
    let mut place: Vec<ScopeId> = Vec::with_capacity(program.scopes.len());
    for k in 0..program.scopes.len() as u32 {
        place.push(ScopeId(next));
        next += u32::from(!gone.contains(&ScopeId(k)));
    }
    let mut at = 0..place.len() as u32;
    program.scopes.retain(|_| at.next().is_some_and(|k| !gone.contains(&ScopeId(k))));
    let change = |s: &mut ScopeId| *s = place.get(s.index()).copied().unwrap_or(*s);
    program.scopes.iter_mut().filter_map(|s| s.parent.as_mut()).for_each(change);
    program.symbols.iter_mut().for_each(|s| change(&mut s.scope));
    for unit in &mut program.units {
        change(&mut unit.scope);
        for v in unit.graph.node_weights_mut() {
            if let VertexKind::Block { scope, .. } = &mut v.kind {
                change(scope);
            }
        }
    }
}
