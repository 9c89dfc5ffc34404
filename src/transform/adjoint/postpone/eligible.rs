//! Which variables of a unit take part when stores are put off.
//!
//! Lives here: this choice. Never here: code.

use super::{Arrays, stores};
use crate::analysis::counted::COUNTER;
use crate::analysis::dependence::has_calls;
use crate::transform::adjoint::statements::Surroundings;
use crate::transform::adjoint::tree::{Item, ItemKind, for_each_stmt};
use crate::transform::adjoint::unit::Maker;
use crate::transform::adjoint::zeros;
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::model::{BaseType, StmtKind, Storage, SymbolId};

impl Maker<'_> {
    /// Stores to arrays put off until somebody looks.
    pub(in crate::transform::adjoint) fn postponed(&mut self, items: Vec<Item>, original: &FxHashMap<SymbolId, SymbolId>) -> Vec<Item> {
        let (mut fits, mut calls) = (!self.frame.hosts, false);
        let (mut counted, mut seen): (Vec<SymbolId>, FxHashSet<SymbolId>) = Default::default();
        for_each_stmt(&items, &mut |s| match &s.kind {
            StmtKind::Assignment { lhs, rhs } => {
                calls |= lhs.index_exprs().chain([rhs]).any(has_calls);
                if lhs.subscripts.is_empty() && self.program.symbol(lhs.symbol).ty.base == BaseType::Integer && seen.insert(lhs.symbol) {
                    counted.push(lhs.symbol);
                }
            }
            StmtKind::Call(_) => calls = true,
            StmtKind::Propagator(_) => fits = false,
            StmtKind::Marker(_) | StmtKind::Runtime { .. } => {}
        });
        if !fits || !self.any_to_put_off(&items, false) {
            return items;
        }
        let mut named = FxHashSet::default();
        zeros::mentioned(&items, &mut named);
        // Adjoints of the unit's own have no original where they are kept apart from an argument's.
        let alone = |s: SymbolId| self.frame.sharing.get(original.get(&s).unwrap_or(&s)).is_none_or(Vec::is_empty);
        let array = |s: &SymbolId| self.program.symbol(*s).rank > 0 && !self.program.symbol(*s).pointer && alone(*s);
        let own: FxHashSet<SymbolId> = self.frame.own.iter().copied().collect();
        let is_adjoint = |s: &SymbolId| original.contains_key(s) || own.contains(s);
        let argument =
            |s: SymbolId| self.program.symbol(s).scope == self.frame.scope && *self.program.symbol(s).storage() == Storage::Argument;
        let adjoints: FxHashSet<SymbolId> = named
            .iter()
            .copied()
            .filter(|s| array(s) && is_adjoint(s) && (self.is_own(*s) || argument(*s)) && !self.frame.inside.contains(s))
            .collect();
        let originals = named.iter().copied().filter(|s| array(s) && self.is_own(*s) && !self.new.contains(s)).collect();
        let tapes = named.iter().copied().filter(|s| self.is_tape(*s)).collect();
        let number = |s: &SymbolId| {
            let symbol = self.program.symbol(*s);
            let seen = self.is_own(*s) || argument(*s) || *symbol.storage() == Storage::Constant;
            symbol.ty.base == BaseType::Integer && self.is_lone_scalar(*s) && (seen || !calls)
        };
        let numbers: FxHashSet<SymbolId> = named.iter().copied().filter(number).collect();
        let mut indices = FxHashMap::default();
        for s in counted.into_iter().filter(|s| numbers.contains(s)) {
            let ty = if self.program.symbol(s).has_attribute("unsigned") { COUNTER } else { self.program.symbol(s).ty };
            indices.insert(s, self.temporary("k", ty));
        }
        let arrays = Arrays {
            program: self.program,
            resized: &self.resized,
            adjoints: &adjoints,
            originals: &originals,
            tapes: &tapes,
            numbers: &numbers,
            indices: &indices,
        };
        stores(&arrays, items)
    }

    /// Whether there is a store in a loop that could be put off.
    fn any_to_put_off(&self, items: &[Item], inside: bool) -> bool {
        items.iter().any(|item| match &item.kind {
            ItemKind::Stmt(s) => match &s.kind {
                StmtKind::Assignment { lhs, rhs } if inside && !lhs.subscripts.is_empty() => {
                    rhs.as_var().is_some_and(|r| self.is_own(lhs.symbol) && self.is_tape(r.symbol))
                        || rhs.as_constant().is_some() && self.new.contains(&lhs.symbol) && self.program.symbol(lhs.symbol).rank > 0
                }
                _ => false,
            },
            ItemKind::Branch { arms, .. } => arms.iter().any(|a| self.any_to_put_off(&a.body, inside)),
            ItemKind::Loop { body, .. } => self.any_to_put_off(body, true),
        })
    }

    /// An array for what loops record.
    pub(in crate::transform::adjoint) fn is_tape(&self, s: SymbolId) -> bool {
        let symbol = self.program.symbol(s);
        symbol.rank > 0 && self.new.contains(&s) && symbol.has_attribute("recorded") && self.is_own(s)
    }
}
