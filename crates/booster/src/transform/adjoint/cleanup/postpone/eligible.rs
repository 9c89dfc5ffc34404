//! Which variables of a unit are followed: those that take part when stores are put off.
//!
//! Lives here: this choice. Never here: code.

use super::arrays::Arrays;
use super::stores;
use crate::analysis::accesses::dependence::has_calls;
use crate::analysis::arrays::counted::COUNTER;
use crate::transform::adjoint::code::mentions;
use crate::transform::adjoint::code::surroundings::Surroundings;
use crate::transform::adjoint::code::tree::{Item, ItemKind, for_each_stmt};
use crate::transform::adjoint::statement::maker::Maker;
use crate::transform::adjoint::variables::resized::Resized;
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::Program;
use xaif::model::{BaseType, StmtKind, Storage, SymbolId};

/// The variables of a unit whose values are followed through its code, by what they are.
#[derive(Default)]
pub(crate) struct Followed {
    adjoints: FxHashSet<SymbolId>,
    originals: FxHashSet<SymbolId>,
    tapes: FxHashSet<SymbolId>,
    numbers: FxHashSet<SymbolId>,
    /// For indices of loops other variables that may be used in their place.
    indices: FxHashMap<SymbolId, SymbolId>,
}

impl Followed {
    /// With what else is known of them.
    pub fn arrays<'a>(&'a self, program: &'a Program, resized: &'a Resized) -> Arrays<'a> {
        let Followed { adjoints, originals, tapes, numbers, indices } = self;
        Arrays { program, resized, adjoints, originals, tapes, numbers, indices }
    }
}

impl Maker<'_> {
    /// Stores to arrays put off until somebody looks.
    pub(crate) fn postponed(&mut self, items: Vec<Item>, original: &FxHashMap<SymbolId, SymbolId>) -> Vec<Item> {
        if !self.any_to_put_off(&items, false) {
            return items;
        }
        let Some(mut followed) = self.followed(&items, original) else { return items };
        let (mut counted, mut seen): (Vec<SymbolId>, FxHashSet<SymbolId>) = Default::default();
        for_each_stmt(&items, &mut |s| {
            if let StmtKind::Assignment { lhs, .. } = &s.kind
                && followed.numbers.contains(&lhs.symbol)
                && seen.insert(lhs.symbol)
            {
                counted.push(lhs.symbol);
            }
        });
        for s in counted {
            let ty = if self.program.symbol(s).has_attribute("unsigned") { COUNTER } else { self.program.symbol(s).ty };
            followed.indices.insert(s, self.temporary("k", ty));
        }
        stores(&followed.arrays(self.program, &self.resized), items)
    }

    /// The variables that code names and that can be followed; none where the code does what is not followed.
    pub(crate) fn followed(&self, items: &[Item], original: &FxHashMap<SymbolId, SymbolId>) -> Option<Followed> {
        let (mut fits, mut calls) = (self.frame.inside.is_empty(), false);
        for_each_stmt(items, &mut |s| match &s.kind {
            StmtKind::Assignment { lhs, rhs } => calls |= lhs.index_exprs().chain([rhs]).any(has_calls),
            StmtKind::Call(_) => calls = true,
            StmtKind::Propagator(_) => fits = false,
            StmtKind::Marker(_) | StmtKind::Runtime { .. } => {}
        });
        if !fits {
            return None;
        }
        let mut named = FxHashSet::default();
        mentions::mentioned(items, &mut named);
        // Adjoints of the unit's own have no original where they are kept apart from an argument's.
        let alone = |s: SymbolId| self.frame.sharing.get(original.get(&s).unwrap_or(&s)).is_none_or(Vec::is_empty);
        let array = |s: &SymbolId| self.program.symbol(*s).rank > 0 && !self.program.symbol(*s).pointer && alone(*s);
        let own: FxHashSet<SymbolId> = self.frame.own.iter().copied().collect();
        let is_adjoint = |s: &SymbolId| original.contains_key(s) || own.contains(s);
        let argument =
            |s: SymbolId| self.program.symbol(s).scope == self.frame.scope && *self.program.symbol(s).storage() == Storage::Argument;
        let is_followed = |s: &SymbolId| array(s) && is_adjoint(s) && (self.is_own(*s) || argument(*s));
        let number = |s: &SymbolId| {
            let symbol = self.program.symbol(*s);
            let seen = self.is_own(*s) || argument(*s) || *symbol.storage() == Storage::Constant;
            symbol.ty.base == BaseType::Integer && self.is_lone_scalar(*s) && (seen || !calls)
        };
        let those = |test: &dyn Fn(&SymbolId) -> bool| named.iter().copied().filter(test).collect();
        Some(Followed {
            adjoints: those(&is_followed),
            originals: those(&|s| array(s) && self.is_own(*s) && !self.new.contains(s)),
            tapes: those(&|s| self.is_tape(*s)),
            numbers: those(&number),
            indices: FxHashMap::default(),
        })
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
    pub(crate) fn is_tape(&self, s: SymbolId) -> bool {
        let symbol = self.program.symbol(s);
        symbol.rank > 0 && self.new.contains(&s) && symbol.has_attribute("recorded") && self.is_own(s)
    }
}
