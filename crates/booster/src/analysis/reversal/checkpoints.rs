//! Loops that the reverse sweep runs again from snapshots.
//!
//! ```text
//! do k = 1, n                      u saved before some iterations
//!   u = step(u, x)          ->     for each iteration, from the last to the first:
//! end do                             u brought back from the latest snapshot, iterations run up to this one (with more snapshots on the way),
//!                                    this iteration run with records, and reversed
//! ```
//!
//! A snapshot holds what a later iteration reads from outside and what the loop overwrites: N(adjoint of C) ∩ W(C) (Eq. 17).
//! Each such loop has three forms: `first` is what the forward sweep runs, `ahead` what the reverse sweep runs to come to an iteration, `body` the iteration that is
//! reversed at once, so that nothing is recorded across iterations. What was recorded before the loop and is overwritten in it is saved in front of it, or
//! comes back from the first snapshot.
//!
//! Source: Araya-Polo and Hascoët (2004), Eq. (17), for the snapshots; which iterations have them is decided while the code runs, by the binomial schedule of Griewank and
//! Walther, "Algorithm 799: revolve" (2000).
//!
//! Lives here: what is run, saved and required, on sets of variables. Never here: which iterations have snapshots, code.

use super::decisions::Decisions;
use super::flow::{Checkpointed, Flow, Id, Step, id_of};
use super::fused_flow::{inner, last, stripped};
use super::recorded::Analysis;
use crate::analysis::dataflow::bits::Bits;
use rustc_hash::FxHashMap;

/// What is added to the numbers inside a loop in its copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copies {
    /// For what the forward sweep runs.
    pub first: Id,
    /// For what the reverse sweep runs to come to an iteration.
    pub ahead: Id,
}

/// The code with copies for those loops that the user wants checkpointed and that record something (`costs`).
pub(super) fn copied(code: &[Flow], costs: &FxHashMap<Id, u64>, copies: &mut FxHashMap<Id, Copies>, next: &mut Id) -> Vec<Flow> {
    code.iter()
        .map(|flow| match flow {
            Flow::Asked { fresh, inner } => {
                let id = id_of(inner);
                let mut plain = inner.as_ref().clone();
                let (Flow::Counted { body, .. } | Flow::Tested { body, .. }) = &mut plain else { return plain };
                let iteration = copied(body, costs, copies, next);
                if !costs.contains_key(&id) {
                    *body = iteration;
                    return plain;
                }
                let size = last(body, id) + 1 - id;
                let shifts = Copies { first: *next - id, ahead: *next + size - id };
                *next += 2 * size;
                copies.insert(id, shifts);
                let first = hushed(stripped(body, shifts.first), true);
                let ahead = hushed(stripped(body, shifts.ahead), false);
                let body = hushed(iteration, false);
                Flow::Checkpointed(Box::new(Checkpointed { plain, fresh: fresh.clone(), first, ahead, body }))
            }
            other => inner(other, &mut |list| copied(list, costs, copies, next)),
        })
        .collect()
}

/// Code that is run for what it computes, or (`aloud`) for its effects as well.
fn hushed(code: Vec<Flow>, aloud: bool) -> Vec<Flow> {
    let hush = |flow: Flow| match flow {
        Flow::Step(s) => {
            // A call that records has to be run for its adjoint.
            let always = s.loud && aloud || s.always && s.restores;
            Flow::Step(Step { always, once: s.once || s.loud, ..s })
        }
        Flow::Checkpointed(c) => {
            let Checkpointed { plain, fresh, first, ahead, body } = *c;
            let (first, ahead, body) = (hushed(first, aloud), hushed(ahead, aloud), hushed(body, aloud));
            Flow::Checkpointed(Box::new(Checkpointed { plain, fresh, first, ahead, body }))
        }
        other => inner(&other, &mut |list| hushed(list.to_vec(), aloud)),
    };
    code.into_iter().map(hush).collect()
}

impl Analysis<'_> {
    /// Liveness: what the forward sweep runs, and what any iteration of the reverse sweep reads from outside.
    pub(super) fn checkpointed_liveness(&mut self, c: &Checkpointed, needed: &mut Bits) {
        let (id, index, operands) = c.head();
        let after = index.is_some_and(|i| needed.has(i));
        if index.is_some_and(|i| self.overlaps.hits(needed, i)) {
            self.d.live.add(id);
        }
        self.depth += 1;
        let forget = |set: &mut Bits| index.iter().chain(&c.fresh).for_each(|&v| set.remove(v));
        let mut entry = Bits::none(self.vars);
        self.liveness(&c.body, &mut entry);
        forget(&mut entry);
        entry.close(|iteration| {
            self.liveness(&c.ahead, iteration);
            forget(iteration);
        });
        let reversed = self.any(&c.body, Decisions::reversed);
        self.backward_loop(id, &c.first, needed, &[], &[]);
        // Without a counted loop the forward sweep has to count the iterations.
        if self.any(&c.first, Decisions::live) || index.is_none() && reversed {
            self.d.live.add(id);
        }
        if self.d.live(id) {
            if reversed {
                needed.join(&entry);
            }
            self.backward_loop(id, &c.first, needed, if index.is_none() { operands } else { &[] }, &[]);
        }
        self.end_loop();
        if reversed {
            self.d.adjoint.add(id);
            needed.join(&entry);
        }
        if let Some(i) = index
            && (self.d.live(id) || !after)
        {
            needed.remove(i);
        }
        self.head(id, operands, needed);
        self.exposed.insert(id, entry);
    }

    /// Recording: what snapshots hold, and what is saved in front of the loop.
    pub(super) fn checkpointed_recording(&mut self, c: &Checkpointed, required: &mut Bits) {
        let (id, index, operands) = c.head();
        self.record_round(&c.body);
        let reversed = self.any(&c.body, Decisions::reversed);
        let live = self.d.live(id);
        let (mut first, mut all) = (Bits::none(self.vars), Bits::none(self.vars));
        if live {
            self.writes(&c.first, &mut first);
            index.iter().for_each(|&i| {
                first.insert(i);
            });
        }
        all.join(&first);
        let entry = self.exposed.get(&id).cloned().unwrap_or_default();
        let mut snapshot = Vec::new();
        if reversed {
            self.writes(&c.ahead, &mut all);
            self.writes(&c.body, &mut all);
            snapshot = all.iter().filter(|&v| self.overlaps.hits(&entry, v)).collect();
            index.iter().for_each(|&i| {
                all.insert(i);
            });
            if self.repeats(&c.ahead) || self.repeats(&c.body) {
                self.d.repeated.push(id);
            }
            self.d.adjoint.add(id);
        }
        let (mut saved, mut kept, mut reset) = (Vec::new(), Vec::new(), Vec::new());
        for v in all.iter().filter(|&v| self.overlaps.hits(required, v)) {
            match (snapshot.contains(&v), first.has(v)) {
                (true, _) => reset.push(v),
                (false, true) => saved.push(v),
                (false, false) => kept.push(v),
            }
        }
        for &v in saved.iter().chain(reset.iter().filter(|&&v| first.has(v))) {
            required.remove(v);
        }
        if !saved.is_empty() {
            self.d.adjoint.add(id);
            self.d.saved.insert(id, saved);
        }
        if reversed {
            // What snapshots made in the forward sweep hold may change behind the loop.
            let mut rest = entry;
            if live {
                snapshot.iter().for_each(|&v| rest.remove(v));
            }
            self.overlaps.require_all(required, &rest);
            self.overlaps.require(required, operands);
            self.d.kept.insert(id, kept);
            self.d.reset.insert(id, reset);
            self.d.snapshots.insert(id, snapshot);
        }
    }

    /// Whether something is run that must happen once only.
    fn repeats(&self, code: &[Flow]) -> bool {
        code.iter().any(|flow| match flow {
            Flow::Step(s) => s.loud && self.d.live(s.id),
            Flow::Branch { arms, .. } => arms.iter().any(|a| self.repeats(a)),
            Flow::Counted { body, .. } | Flow::Tested { body, .. } => self.repeats(body),
            Flow::Asked { inner, .. } => self.repeats(std::slice::from_ref(inner)),
            Flow::Fused { ahead, body, .. } => self.repeats(ahead) || self.repeats(body),
            Flow::Checkpointed(c) => self.repeats(&c.first) || self.repeats(&c.ahead) || self.repeats(&c.body),
        })
    }
}
