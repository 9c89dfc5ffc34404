//! Which variables have, in the reverse sweep of a piece of code, the values that they had before that piece, at no great cost.
//!
//! What a piece of code does not write is the same before and behind it, and where the reverse sweep reads it there, the to-be-recorded analysis brings it back.
//! That costs nothing where nobody writes it later, or where the adjoint of something else reads the same value. Nor is it much where a scalar changes less often
//! than the piece is run, or by steps that can be undone.
//!
//! Lives here: this one question. Never here: what is read, what is recorded.

use crate::transform::adjoint::code::tree::ItemId;
use crate::transform::adjoint::code::writes::{Overlap, Places};
use rustc_hash::FxHashMap;
use xaif::model::{Stmt, SymbolId};

/// First and last number of some items.
pub(crate) type Range = (ItemId, ItemId);

/// The loops around a piece of code.
#[derive(Clone, Debug, Default)]
pub(crate) struct Around {
    /// The outermost and the innermost one.
    pub loops: Option<(Range, Range)>,
    /// The indices of the counted ones.
    pub indices: Vec<SymbolId>,
}

impl Around {
    /// Inside of a loop more, with its index.
    pub fn inside(&self, range: Range, index: Option<SymbolId>) -> Around {
        let outermost = self.loops.map_or(range, |(o, _)| o);
        Around { loops: Some((outermost, range)), indices: self.indices.iter().copied().chain(index).collect() }
    }
}

/// What is known of a unit.
pub(crate) struct Steady<'a> {
    /// Where variables are written.
    pub places: &'a Places,
    /// What may share memory.
    pub overlap: &'a dyn Overlap,
    /// What takes back the assignments that are undone instead of recorded.
    pub inverses: &'a FxHashMap<ItemId, Stmt>,
    /// Scalars in memory of their own.
    pub scalar: &'a dyn Fn(SymbolId) -> bool,
    /// Where adjoints read values in any case: see [`super::needed`].
    pub needed: &'a Places,
}

impl Steady<'_> {
    /// Whether a variable can be read again in the reverse sweep of the items behind `after`, up to `upto`, with the value from before them.
    pub fn stays(&self, s: SymbolId, (after, upto): Range, around: &Around) -> bool {
        if around.indices.contains(&s) {
            return true;
        }
        let sharing = self.overlap.sharing(s);
        let any = |range: Range| sharing.iter().any(|&o| self.places.any_in(o, range));
        if any((after + 1, upto)) {
            return false;
        }
        match around.loops {
            None => !any((after + 1, ItemId::MAX)),
            Some((outermost, innermost)) => {
                let settled = !any(outermost) && !any((after + 1, ItemId::MAX));
                let step = |id: ItemId| self.inverses.contains_key(&id);
                settled || (self.scalar)(s) && self.places.within(s, innermost).iter().copied().all(step)
            }
        }
    }

    /// Whether the items behind `after`, up to `upto`, leave a variable as it is, and some adjoint reads the value that it has there: one between the writes before
    /// and behind them, as the text has it.
    pub fn is_needed(&self, s: SymbolId, (after, upto): Range) -> bool {
        let sharing = self.overlap.sharing(s);
        let last = sharing.iter().filter_map(|&o| self.places.within(o, (0, after)).last()).max();
        let next = sharing.iter().filter_map(|&o| self.places.next(o, after)).min();
        let (from, to) = (last.map_or(0, |l| l + 1), next.map_or(ItemId::MAX, |n| n - 1));
        to >= upto && self.needed.any_in(s, (from, to))
    }
}
