//! Clean-up of a finished reverse sweep: the steps, in order.
//!
//! Lives here: the order, and what the steps need to know of variables. Never here: the steps.

use super::{ascending_loops, common_factors, exchanges, gather, lifetimes, merge, shared_loops};
use crate::linearize::fold::Fold;
use crate::transform::adjoint::code::surroundings::Surroundings;
use crate::transform::adjoint::code::tree::Item;
use crate::transform::adjoint::statement::maker::Maker;
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::model::SymbolId;

impl Maker<'_> {
    /// Loops in gather form, stores put off, recurrences interleaved, increments merged, and what is multiplied by one adjoint added up first; records made
    /// where values are read, loops upward, copies as exchanges.
    pub(crate) fn gathered(&mut self, items: Vec<Item>) -> Vec<Item> {
        let original: FxHashMap<SymbolId, SymbolId> = self.frame.companions.iter().map(|(&of, &b)| (b, of)).collect();
        let scratch: FxHashSet<SymbolId> = self.scratch.iter().map(|(_, s, _)| *s).collect();
        let own: FxHashSet<SymbolId> = original.keys().copied().chain(self.frame.own.iter().copied()).collect();
        let items = {
            let overlap = |a: SymbolId, b: SymbolId| self.adjoints_overlap(&original, a, b);
            let scalar = |s: SymbolId| self.is_own(s) && self.program.symbol(s).rank == 0;
            let v = gather::Variables { program: self.program, overlap: &overlap, scalar: &scalar, scratch: &scratch, adjoint: &own };
            gather::loops(&v, items)
        };
        if self.frame.plain {
            return items;
        }
        let items = self.postponed(items, &original);
        let items = self.interleaved(items, &original);
        let overlap = |a: SymbolId, b: SymbolId| self.adjoints_overlap(&original, a, b);
        let adjoint = own.union(&scratch).copied().collect();
        let v = merge::Variables { program: self.program, overlap: &overlap, adjoint: &adjoint, scratch: &scratch };
        let mut items = merge::increments(&v, items);
        common_factors::factors(Fold { program: self.program }, &own, &mut items);
        let recorded = |s: SymbolId| self.is_tape(s);
        shared_loops::records(&shared_loops::Variables { program: self.program, overlap: &overlap, recorded: &recorded }, &mut items);
        ascending_loops::loops(
            &ascending_loops::Variables { program: self.program, overlap: &overlap, scratch: &scratch, adjoint: &own },
            &mut items,
        );
        self.exchanged(items, &original)
    }

    /// Copies between work arrays as exchanges: see [`exchanges`].
    fn exchanged(&mut self, mut items: Vec<Item>, original: &FxHashMap<SymbolId, SymbolId>) -> Vec<Item> {
        let heap = exchanges::Heap::of(self.program, &items, &|s| self.is_tape(s));
        if heap.is_empty() {
            return items;
        }
        let Some(followed) = self.followed(&items, original) else { return items };
        let found = exchanges::find(&followed.arrays(self.program, &self.resized), &heap, &mut items);
        if found.is_empty() { items } else { found.replaced(self, items) }
    }

    /// Arrays in memory only as long as they are used: see [`lifetimes`].
    pub(crate) fn tightened(&self, items: Vec<Item>) -> Vec<Item> {
        // Units inside of this one would use variables that its code does not name.
        if self.frame.hosts {
            return items;
        }
        let shares = |s: SymbolId| self.frame.sharing.get(&s).is_some_and(|l| !l.is_empty());
        let shared: FxHashSet<SymbolId> = self.frame.companions.iter().filter(|(of, _)| shares(**of)).map(|(_, &b)| b).collect();
        let alone = |s: SymbolId| self.is_own(s) && !shares(s) && !shared.contains(&s);
        lifetimes::tightened(items, &alone, &|s| self.new.contains(&s))
    }

    pub(crate) fn adjoints_overlap(&self, original: &FxHashMap<SymbolId, SymbolId>, a: SymbolId, b: SymbolId) -> bool {
        if a == b || self.frame.sharing.is_empty() {
            return a == b;
        }
        match (original.get(&a), original.get(&b)) {
            // An adjoint overlaps no original; two adjoints overlap where their originals do.
            (Some(&a), Some(&b)) => self.overlap(a, b),
            (None, None) => self.overlap(a, b),
            _ => false,
        }
    }
}
