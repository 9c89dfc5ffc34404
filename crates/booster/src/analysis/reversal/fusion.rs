//! Loops whose iterations do not depend on each other where it matters to the adjoint: fused loops.
//!
//! ```text
//! do i = 1, n                      do i = n, 1, -1
//!   t = x(i) - a                     t = x(i) - a           (again: nothing of it was changed)
//!   s = s + t*t            ->        tb = 2*t*sb
//! end do                             xb(i) = xb(i) + tb
//!                                  end do
//! ```
//!
//! The reverse sweep runs each iteration once more, just before the adjoint of that iteration. So what an iteration computes for its own adjoint is not recorded
//! across iterations, and the forward sweep runs the loop only for what comes later. That is right where everything that is run again
//!
//! * reads nothing that the loop itself changes, but what the same iteration has set before, or elements that no other iteration sets and this one sets no
//!   more, or only when it is run again (where nobody asks for them later, the forward sweep leaves them alone),
//! * has no effect that must happen once only,
//!
//! and where what an iteration reads of the one before it, the state of a time loop, is a few numbers: the forward sweep records them at the start of each
//! iteration, and nothing else,
//!
//! ```text
//! do t = 1, n                      do t = 1, n                 do t = n, 1, -1
//!   k = f(y)                         y_tape(t) = y               y = y_tape(t)
//!   y = y + h*f(y + h*k)    ->       k = f(y)                    k = f(y)
//! end do                             y = y + h*f(y + h*k)        adjoint of y = y + h*f(y + h*k); adjoint of k = f(y)
//!                                  end do                      end do
//! ```
//!
//! and where what the loop overwrites can be saved in front of it: scalars. It pays where the records that it saves cost more than what is
//! computed twice. All counted loops that record something are tried together, and those that cannot stay are given up, until none is left to give up.
//!
//! With `rest` the loops that are tried, `given_up` those of them that break one of these conditions under the equations of [`super::recorded`], in which a fused loop has
//! the forms above:
//!
//! ```text
//! rest  :=  the counted loops that record something;   while given_up(rest) is not empty:  rest := rest - given_up(rest)
//! ```
//!
//! so there are at most as many iterations as loops.
//!
//! Source: Hascoët, Fidanova and Held, "Adjoining independent computations" (2001), for loops of independent iterations.
//!
//! Lives here: which loops are fused, on sets of variables. Never here: code.

use super::checkpoints::{Copies, copied};
use super::decisions::{Decisions, Shifts};
use super::flow::{Flow, Id, Overlaps, Slice, Var, insert_all};
use super::fused_flow::{Again, rewrite};
use super::recorded::{Analysis, analyse, decide};
use crate::analysis::dataflow::bits::Bits;
use rustc_hash::{FxHashMap, FxHashSet};

/// What saving and bringing back one value costs, in operations.
pub(super) const RECORD: u64 = 8;

/// What keeping one decision costs, in operations.
const DECISION: u64 = 4;

/// How much longer an operation takes that waits for the one before it.
const WAITING: u64 = 3;

/// The number of iterations that a loop is taken to have.
const ITERATIONS: u64 = 16;

/// What may be recorded of a loop besides what statements overwrite.
#[derive(Debug, Default)]
pub struct Savable {
    /// Scalars that overlap nothing.
    pub scalars: Bits,
    /// For each variable its number of values, where these are few and overlap nothing; else 0.
    pub values: Vec<u32>,
    /// The loops of a handful of iterations.
    pub short: FxHashSet<Id>,
}

/// Decides for a unit (see [`decide`]), which of its loops are fused, and which of those that the user wants checkpointed record anything that way. `free`
/// is the first free number.
pub fn fuse(
    code: &[Flow],
    overlaps: &Overlaps,
    outputs: &[Var],
    before: &[Var],
    savable: &Savable,
    mut free: Id,
) -> (Decisions, Shifts, FxHashMap<Id, Copies>) {
    let mut base = decide(code, overlaps, outputs, before);
    let mut wanted = FxHashMap::default();
    candidates(code, &base, &mut wanted);
    let mut copies = FxHashMap::default();
    let with_copies = asks(code).then(|| copied(code, &wanted, &mut copies, &mut free));
    let code = with_copies.as_deref().unwrap_or(code);
    if !copies.is_empty() {
        base = decide(code, overlaps, outputs, before);
        wanted.clear();
        candidates(code, &base, &mut wanted);
    }
    // The states that loops hand on from one iteration to the next, as far as is known: these only grow, too.
    let mut states: FxHashMap<Id, Vec<Var>> = FxHashMap::default();
    while !wanted.is_empty() {
        let mut shifts = Shifts::default();
        let again = Again { wanted: &wanted, states: &states, savable, overlaps };
        let rewritten = rewrite(code, &again, &mut shifts, &mut { free });
        let (mut decisions, conflicts) = analyse(&rewritten, overlaps, outputs, before, savable);
        let mut given_up: FxHashSet<Id> = FxHashSet::default();
        for (id, more) in &conflicts {
            let known = states.entry(*id).or_default();
            match more {
                Some(more) if !more.iter().any(|v| known.contains(v)) => known.extend(more),
                _ => drop(given_up.insert(*id)),
            }
        }
        if conflicts.is_empty() {
            expensive(&rewritten, &decisions, &wanted, &mut given_up);
            if given_up.is_empty() {
                states.retain(|id, _| wanted.contains_key(id));
                decisions.states = states;
                return (decisions, shifts, copies);
            }
        }
        wanted.retain(|id, _| !given_up.contains(id));
    }
    (base, Shifts::default(), copies)
}

/// Whether there is a loop that the user wants checkpointed.
fn asks(code: &[Flow]) -> bool {
    code.iter().any(|flow| match flow {
        Flow::Step(_) => false,
        Flow::Asked { .. } | Flow::Checkpointed(_) => true,
        Flow::Branch { arms, .. } => arms.iter().any(|a| asks(a)),
        Flow::Counted { body, .. } | Flow::Fused { body, .. } | Flow::Tested { body, .. } => asks(body),
    })
}

/// Loops that record something, with what that costs in each iteration.
fn candidates(code: &[Flow], base: &Decisions, out: &mut FxHashMap<Id, u64>) -> u64 {
    let mut sum = 0u64;
    for flow in code {
        let here = match flow {
            Flow::Step(s) => base.records(s) as u64 * RECORD,
            Flow::Branch { id, recomputed, arms, .. } => {
                let decision = if *recomputed || !base.reversed(*id) { 0 } else { DECISION };
                decision + arms.iter().map(|a| candidates(a, base, out)).max().unwrap_or(0)
            }
            Flow::Counted { id, body, .. } | Flow::Fused { id, body, .. } => {
                let iteration = candidates(body, base, out);
                if iteration > 0 {
                    out.insert(*id, iteration);
                }
                iteration.saturating_mul(ITERATIONS)
            }
            Flow::Tested { id, body, .. } => {
                let count = if base.reversed(*id) { DECISION } else { 0 };
                candidates(body, base, out).saturating_mul(ITERATIONS) + count
            }
            // The cost of what an iteration records says whether there is anything to be had from snapshots.
            Flow::Asked { inner, .. } => {
                let cost = candidates(std::slice::from_ref(inner), base, out);
                if let Flow::Tested { id, body, .. } = inner.as_ref()
                    && candidates(body, base, &mut FxHashMap::default()) > 0
                {
                    out.insert(*id, cost);
                }
                cost
            }
            Flow::Checkpointed(c) => candidates(&c.body, base, out).saturating_add(RECORD),
        };
        sum = sum.saturating_add(here);
    }
    sum
}

/// Fused loops that compute more twice than they save.
fn expensive(code: &[Flow], d: &Decisions, wanted: &FxHashMap<Id, u64>, out: &mut FxHashSet<Id>) {
    for flow in code {
        match flow {
            Flow::Step(_) => {}
            Flow::Branch { arms, .. } => arms.iter().for_each(|a| expensive(a, d, wanted, out)),
            Flow::Counted { body, .. } | Flow::Tested { body, .. } => expensive(body, d, wanted, out),
            Flow::Asked { inner, .. } => expensive(std::slice::from_ref(inner), d, wanted, out),
            Flow::Checkpointed(c) => expensive(&c.body, d, wanted, out),
            Flow::Fused { id, ahead, body, .. } => {
                let (mut cost, saved) = (twice(ahead, body, d), wanted.get(id).copied().unwrap_or(0));
                // Where an iteration waits for the one before it, operations wait for each other, and records do not.
                if let Some(Flow::Step(s)) = ahead.first().filter(|f| matches!(f, Flow::Step(s) if s.records_state)) {
                    let state = u64::from(s.cost);
                    cost = cost.saturating_sub(state).saturating_mul(WAITING).saturating_add(state + 1);
                }
                if cost > saved {
                    out.insert(*id);
                }
                expensive(body, d, wanted, out);
            }
        }
    }
}

/// What both copies of some code execute, in operations.
fn twice(ahead: &[Flow], again: &[Flow], d: &Decisions) -> u64 {
    ahead.iter().zip(again).fold(0u64, |sum, pair| {
        sum.saturating_add(match pair {
            (Flow::Step(a), Flow::Step(b)) if d.live(a.id) && d.live(b.id) => b.cost.into(),
            (Flow::Branch { arms: a, .. }, Flow::Branch { arms: b, .. }) => a.iter().zip(b).map(|(a, b)| twice(a, b, d)).max().unwrap_or(0),
            (Flow::Counted { body: a, .. }, Flow::Counted { body: b, .. } | Flow::Fused { ahead: b, .. })
            | (Flow::Tested { body: a, .. }, Flow::Tested { body: b, .. }) => twice(a, b, d).saturating_mul(ITERATIONS),
            _ => 0,
        })
    })
}

impl Analysis<'_> {
    /// Liveness of a fused loop: what the forward sweep runs, what its adjoint reads from outside.
    pub(super) fn fused_liveness(
        &mut self,
        id: Id,
        index: Var,
        (operands, slices, fresh): (&[Var], &[Slice], &[Var]),
        (ahead, body): (&[Flow], &[Flow]),
        needed: &mut Bits,
    ) {
        if self.overlaps.hits(needed, index) {
            self.d.live.add(id);
        }
        let after = needed.has(index);
        self.depth += 1;
        self.backward_loop(id, ahead, needed, &[], slices);
        if self.any(ahead, Decisions::live) {
            self.d.live.add(id);
        }
        // An iteration of the reverse sweep leaves nothing that another one reads.
        let mut exposed = Bits::none(self.vars);
        self.liveness(body, &mut exposed);
        exposed.remove(index);
        fresh.iter().for_each(|&v| exposed.remove(v));
        self.end_loop();
        if self.any(body, Decisions::reversed) {
            self.d.adjoint.add(id);
        }
        if self.d.live(id) || !after {
            needed.remove(index);
        }
        if self.d.reversed(id) {
            needed.join(&exposed);
        }
        self.head(id, operands, needed);
        self.exposed.insert(id, exposed);
    }

    /// Recording of a fused loop: scalars that it overwrites are saved in front of it; where anything else would have to be, it cannot stay.
    pub(super) fn fused_recording(
        &mut self,
        id: Id,
        index: Var,
        (operands, apart, promised): (&[Var], &[Var], bool),
        (ahead, body): (&[Flow], &[Flow]),
        required: &mut Bits,
    ) {
        self.record_round(body);
        if self.any(body, Decisions::reversed) {
            self.d.adjoint.add(id);
        }
        let (mut first, mut again) = (Bits::none(self.vars), Bits::none(self.vars));
        self.writes(ahead, &mut first);
        if self.d.live(id) {
            first.insert(index);
        }
        let mut fits = self.writes(body, &mut again);
        let exposed = self.exposed.remove(&id).unwrap_or_default();
        // Another iteration may have set what this one reads, whether that is executed now or not.
        let mut any = again.clone();
        all_writes(body, &mut any);
        // It has not where subscripts tell, or the user promises so; but the same iteration may set again what it has read. Then it must not run twice.
        let alone = |v: Var| promised || apart.contains(&v);
        let once = |v: Var| !self.overlaps.hits(&first, v);
        let finds = |v: Var| alone(v) && (once(v) || settled(body, v, self.overlaps, &mut false));
        let state: Vec<Var> = any.iter().filter(|&v| self.overlaps.hits(&exposed, v) && !finds(v)).collect();
        let few = |v: &Var| self.savable.values.get(*v as usize).is_some_and(|n| *n > 0);
        // A long loop inside would be run twice to save what it records once.
        fits &= state.is_empty() || state.iter().all(few) && only_short(body, &self.savable.short);
        self.exposed.insert(id, exposed.clone());
        let reversed = self.d.reversed(id);
        if reversed {
            again.insert(index);
        }
        let (mut saved, mut kept) = (Vec::new(), Vec::new());
        let mut both = first.clone();
        both.join(&again);
        for v in both.iter().filter(|&v| self.overlaps.hits(required, v)) {
            fits &= self.savable.scalars.has(v);
            if first.has(v) { saved.push(v) } else { kept.push(v) }
        }
        if !fits {
            self.conflicts.insert(id, None);
        } else if !state.is_empty() && !matches!(self.conflicts.get(&id), Some(None)) {
            let known = self.conflicts.entry(id).or_default().get_or_insert_default();
            known.extend(state.into_iter().filter(|v| !known.contains(v)).collect::<Vec<_>>());
        }
        for &v in &saved {
            required.remove(v);
        }
        if !saved.is_empty() {
            self.d.adjoint.add(id);
            self.d.saved.insert(id, saved);
        }
        if reversed {
            self.d.kept.insert(id, kept);
            self.overlaps.require_all(required, &exposed);
            self.overlaps.require(required, operands);
        }
    }

    /// What is overwritten when some code and its adjoint are run; false if that may not happen twice.
    pub(super) fn writes(&self, code: &[Flow], into: &mut Bits) -> bool {
        let mut may = true;
        for flow in code {
            match flow {
                Flow::Step(s) => {
                    if self.d.live(s.id) {
                        s.writes.iter().for_each(|w| {
                            into.insert(w.var);
                        });
                        may &= !s.once;
                    }
                    if s.adjoint {
                        insert_all(into, s.clobbers());
                        may &= !s.once || s.writes.is_empty();
                    }
                }
                Flow::Branch { arms, .. } => arms.iter().for_each(|a| may &= self.writes(a, into)),
                Flow::Tested { body, .. } => may &= self.writes(body, into),
                Flow::Counted { id, index, body, .. } => {
                    if self.d.live(*id) || self.d.reversed(*id) {
                        into.insert(*index);
                    }
                    may &= self.writes(body, into);
                }
                Flow::Fused { id, index, ahead, body, .. } => {
                    if self.d.live(*id) || self.d.reversed(*id) {
                        into.insert(*index);
                    }
                    may &= self.writes(ahead, into);
                    may &= self.writes(body, into);
                }
                Flow::Asked { inner, .. } => may &= self.writes(std::slice::from_ref(inner), into),
                Flow::Checkpointed(c) => {
                    let (id, index, _) = c.head();
                    if self.d.live(id) || self.d.reversed(id) {
                        index.iter().for_each(|&i| {
                            into.insert(i);
                        });
                    }
                    for part in [&c.first, &c.ahead, &c.body] {
                        may &= self.writes(part, into);
                    }
                }
            }
        }
        may
    }
}

/// Whether all loops in some code are short.
fn only_short(code: &[Flow], short: &FxHashSet<Id>) -> bool {
    code.iter().all(|flow| match flow {
        Flow::Step(_) => true,
        Flow::Branch { arms, .. } => arms.iter().all(|a| only_short(a, short)),
        Flow::Counted { id, body, .. } | Flow::Fused { id, body, .. } => short.contains(id) && only_short(body, short),
        Flow::Tested { .. } | Flow::Asked { .. } | Flow::Checkpointed(_) => false,
    })
}

/// Whether nothing of a variable is read before all of it that is set has been set. `read` says whether something was read before.
fn settled(code: &[Flow], v: Var, overlaps: &Overlaps, read: &mut bool) -> bool {
    let same = |w: Var| overlaps.meet(v, w);
    let reads = |list: &[Var]| list.iter().any(|&w| same(w));
    for flow in code {
        match flow {
            Flow::Step(s) => {
                *read |= reads(&s.reads);
                if *read && s.writes.iter().any(|w| same(w.var)) {
                    return false;
                }
            }
            Flow::Branch { operands, arms, .. } => {
                *read |= reads(operands);
                let before = *read;
                for arm in arms {
                    let mut here = before;
                    if !settled(arm, v, overlaps, &mut here) {
                        return false;
                    }
                    *read |= here;
                }
            }
            Flow::Counted { index, operands, body, .. } | Flow::Fused { index, operands, body, .. } => {
                *read |= reads(operands);
                if *read && same(*index) || !twice_settled(body, v, overlaps, read) {
                    return false;
                }
            }
            Flow::Asked { inner, .. } => {
                if !settled(std::slice::from_ref(inner), v, overlaps, read) {
                    return false;
                }
            }
            Flow::Checkpointed(c) => {
                if !settled(std::slice::from_ref(&c.plain), v, overlaps, read) {
                    return false;
                }
            }
            Flow::Tested { operands, body, .. } => {
                *read |= reads(operands);
                if !twice_settled(body, v, overlaps, read) {
                    return false;
                }
            }
        }
    }
    true
}

/// The same of the body of a loop, whose iterations follow one another.
fn twice_settled(body: &[Flow], v: Var, overlaps: &Overlaps, read: &mut bool) -> bool {
    let first = *read;
    if !settled(body, v, overlaps, read) {
        return false;
    }
    first == *read || settled(body, v, overlaps, read)
}

/// What the original code overwrites.
fn all_writes(code: &[Flow], into: &mut Bits) {
    for flow in code {
        match flow {
            Flow::Step(s) => s.writes.iter().for_each(|w| {
                into.insert(w.var);
            }),
            Flow::Branch { arms, .. } => arms.iter().for_each(|a| all_writes(a, into)),
            Flow::Tested { body, .. } => all_writes(body, into),
            Flow::Asked { inner, .. } => all_writes(std::slice::from_ref(inner), into),
            Flow::Checkpointed(c) => all_writes(std::slice::from_ref(&c.plain), into),
            Flow::Counted { index, body, .. } | Flow::Fused { index, body, .. } => {
                into.insert(*index);
                all_writes(body, into);
            }
        }
    }
}

#[cfg(test)]
#[path = "fusion_tests.rs"]
mod tests;
