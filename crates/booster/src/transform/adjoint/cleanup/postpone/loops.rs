//! Stores that are put off around loops: what a loop starts with, and what of it is so again at its end.
//!
//! Lives here: trying with less and less until it holds. Never here: the code inside (see `Postpone::sequence`).

use super::accesses::Touched;
use super::future_reads::Later;
use super::postponed::{Postponed, Value};
use super::{Event, Place, Postpone, State};
use crate::transform::adjoint::code::tree::{Head, Item, ItemId, ItemKind, LoopKind};
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::model::SymbolId;

impl Postpone<'_> {
    /// A loop with more than statements in it. `due` is what has to be done before it, if the loop does not start with it.
    pub(super) fn repeat(
        &mut self,
        (id, head, kind, body): (ItemId, Box<Head>, LoopKind, Vec<Item>),
        (due, zero): (Vec<Postponed>, FxHashSet<SymbolId>),
        touched: &Touched,
        state: &mut State,
        place: &Place,
        out: &mut Vec<Item>,
    ) {
        let mut again: FxHashMap<SymbolId, usize> = FxHashMap::default();
        self.arrays.looked_at(&body, &mut |s| {
            again.insert(s, 0);
        });
        let set = self.arrays.set_first(&kind, &body, &touched.changed, &mut self.work);
        let later = Later { here: Some((&again, None)), set: Some(&set), outer: Some(&place.later) };
        let inside = Place { depth: place.depth + 1, arms: place.arms, known: place.known.clone(), later };
        let changed = |s: SymbolId| touched.changed.contains(&s);
        let before = (self.log.len(), self.failed);
        let mut start: Vec<Postponed> = Vec::new();
        let (mut made, mut end) = Default::default();
        // What is zero before the loop may be so again in each iteration, if loops inside find it so.
        let hopes = place.depth < MAX_DEPTH && zero.iter().any(|a| !state.zero.contains(a));
        for zeros in [Some(&zero).filter(|_| hopes), Some(&state.zero)].into_iter().flatten() {
            (made, end) = self.round(before, body.clone(), &[], zeros, &inside);
            if place.depth < MAX_DEPTH {
                start = self.start(&end, (&due, &zero), &changed, place);
            }
            let mut tries = 0;
            let mut again = !start.is_empty();
            while again {
                tries += 1;
                if tries > MAX_TRIES {
                    start.clear();
                }
                (made, end) = self.round(before, body.clone(), &start, &state.zero, &inside);
                let tried = start.len();
                let asked = self.failed && !before.1;
                if asked {
                    start.retain(|h| h.value != Value::Any);
                } else {
                    start.retain(|h| h.value != Value::Zero || end.stores.iter().any(|e| e.same(h)));
                }
                again = start.len() < tried || (asked && !start.is_empty());
            }
            if !start.is_empty() {
                break;
            }
        }
        let dead =
            |s: &Postponed| start.iter().any(|h| h.value == Value::Any && h.array == s.array && place.known.within(&s.part, &h.part));
        let carried = |s: &Postponed| start.iter().any(|h| h.value == Value::Zero && h.same(s));
        let mut last: Vec<Postponed> = Vec::new();
        for store in end.stores.iter().filter(|s| !s.written && s.value != Value::Any && !carried(s)) {
            if dead(store) {
                self.log.extend(store.origins.iter().map(|o| (*o, Event::Spared)));
            } else {
                last.push(store.clone());
            }
        }
        self.write(&last, &mut made, &inside);
        let first: Vec<Postponed> = due.into_iter().filter(|d| !d.written && !carried(d) && !dead(d)).collect();
        self.write(&first, out, place);
        if !made.is_empty() {
            out.push(Item { id, kind: ItemKind::Loop { head, kind, body: Box::new(made) } });
        }
        state.stores.extend(start.into_iter().filter(|h| h.value == Value::Zero));
    }

    /// What a loop could start with: what is put off at the end of an iteration, if the elements hold that value before the loop, or if nobody needs them.
    fn start(
        &self,
        end: &State,
        (due, zero): (&[Postponed], &FxHashSet<SymbolId>),
        changed: &dyn Fn(SymbolId) -> bool,
        place: &Place,
    ) -> Vec<Postponed> {
        let mut out = Vec::new();
        for store in end.stores.iter().filter(|s| s.value != Value::Any) {
            let before = |d: &Postponed| d.array == store.array && d.value == Value::Zero && place.known.within(&store.part, &d.part);
            let is_zero = zero.contains(&store.array) || due.iter().any(before);
            let bounds = Postponed { value: Value::Zero, ..store.clone() };
            if bounds.depends(changed) {
                continue;
            }
            if store.value == Value::Zero && is_zero {
                out.push(Postponed { written: false, ..bounds });
            } else if self.arrays.ends(store.array) && !place.later.has(store.array, &store.part, &place.known) {
                out.push(Postponed { value: Value::Any, written: false, ..bounds });
            }
        }
        out
    }

    /// An iteration of a loop, with nothing left of what was tried since `before`.
    fn round(
        &mut self,
        before: (usize, bool),
        body: Vec<Item>,
        start: &[Postponed],
        zero: &FxHashSet<SymbolId>,
        inside: &Place,
    ) -> (Vec<Item>, State) {
        self.log.truncate(before.0);
        self.failed = before.1;
        let mut state = State { stores: start.to_vec(), zero: zero.clone() };
        let made = self.sequence(body, &mut state, inside);
        (made, state)
    }
}

/// Loops deeper than this start with nothing put off.
const MAX_DEPTH: usize = 3;

/// How often a loop is tried with less.
const MAX_TRIES: usize = 4;
