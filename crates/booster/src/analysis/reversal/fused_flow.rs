//! Flow with other code inside: loops rewritten as fused ones, and the copies of their bodies that takes.
//!
//! ```text
//! Counted { body }    ->    Fused { ahead: the body without adjoints, under other numbers;    body: what its adjoint needs, with it }
//! ```
//!
//! Lives here: what copies of code consist of. Never here: which loops are fused (see [`super::fusion`]), what is live or recorded.

use super::decisions::Shifts;
use super::flow::{Flow, Id, Overlaps, Step, Var, Write};
use super::fusion::{RECORD, Savable};
use rustc_hash::FxHashMap;

/// Which loops are fused.
pub(super) struct Again<'a> {
    /// The loops.
    pub wanted: &'a FxHashMap<Id, u64>,
    /// What they record at the start of each iteration.
    pub states: &'a FxHashMap<Id, Vec<Var>>,
    pub savable: &'a Savable,
    pub overlaps: &'a Overlaps,
}

impl Again<'_> {
    /// What the forward sweep does at the start of an iteration of a loop, and what the reverse sweep does.
    fn state(&self, id: Id, next: &mut Id) -> Option<(Flow, Flow)> {
        let state = self.states.get(&id).filter(|l| !l.is_empty())?;
        let values: u64 = state.iter().filter_map(|&v| self.savable.values.get(v as usize)).map(|n| u64::from(*n)).sum();
        let cost = u32::try_from(values.saturating_mul(RECORD)).unwrap_or(u32::MAX);
        let record = Step { id: *next, reads: state.as_slice().into(), always: true, records_state: true, cost, ..Step::default() };
        let writes = state.iter().map(|&var| Write { var, kills: true, own: true, ..Write::default() }).collect();
        let restore = Step { id: *next + 1, writes, cost, ..Step::default() };
        *next += 2;
        Some((Flow::Step(record), Flow::Step(restore)))
    }
}

/// The code with these loops fused.
pub(super) fn rewrite(code: &[Flow], again: &Again, shifts: &mut Shifts, next: &mut Id) -> Vec<Flow> {
    let mut out = Vec::with_capacity(code.len());
    for flow in code {
        out.push(match flow {
            Flow::Counted { id, index, operands, own, slices, fresh, apart, promised, body, .. } if again.wanted.contains_key(id) => {
                // Numbers are in text order, so those inside follow that of the loop.
                let (low, high) = (id + 1, last(body, *id));
                let shift = *next - low;
                *next += high + 1 - low;
                shifts.insert(*id, shift);
                let mut ahead = stripped(body, shift);
                let alone: Vec<Var> =
                    own.iter().copied().filter(|&v| again.overlaps.others.get(v as usize).is_none_or(Vec::is_empty)).collect();
                let mut body = quiet(rewrite(body, again, shifts, next), &alone);
                if let Some((record, restore)) = again.state(*id, next) {
                    ahead.insert(0, record);
                    body.insert(0, restore);
                }
                let (operands, slices, fresh, apart) = (operands.clone(), slices.clone(), fresh.clone(), apart.clone());
                Flow::Fused { id: *id, index: *index, operands, slices, fresh, apart, promised: *promised, ahead, body }
            }
            Flow::Counted { id, histories, .. } if !histories.is_empty() => {
                let mut out = inner(flow, &mut |list| rewrite(list, again, shifts, next));
                if let Flow::Counted { body, .. } = &mut out
                    && runs_again(body)
                {
                    forget(body, *id);
                }
                out
            }
            other => inner(other, &mut |list| rewrite(list, again, shifts, next)),
        });
    }
    out
}

/// The same construct with other code inside.
pub(super) fn inner(flow: &Flow, change: &mut dyn FnMut(&[Flow]) -> Vec<Flow>) -> Flow {
    // What is replaced is not copied first.
    match flow {
        Flow::Step(_) => flow.clone(),
        Flow::Branch { id, operands, recomputed, arms } => {
            let arms = arms.iter().map(|a| change(a)).collect();
            Flow::Branch { id: *id, operands: operands.clone(), recomputed: *recomputed, arms }
        }
        Flow::Counted { id, index, operands, own, slices, histories, fresh, apart, promised, body } => Flow::Counted {
            id: *id,
            index: *index,
            operands: operands.clone(),
            own: own.clone(),
            slices: slices.clone(),
            histories: histories.clone(),
            fresh: fresh.clone(),
            apart: apart.clone(),
            promised: *promised,
            body: change(body),
        },
        Flow::Tested { id, operands, body } => Flow::Tested { id: *id, operands: operands.clone(), body: change(body) },
        Flow::Fused { id, index, operands, slices, fresh, apart, promised, ahead, body } => Flow::Fused {
            id: *id,
            index: *index,
            operands: operands.clone(),
            slices: slices.clone(),
            fresh: fresh.clone(),
            apart: apart.clone(),
            promised: *promised,
            ahead: ahead.clone(),
            body: change(body),
        },
        Flow::Checkpointed(c) => {
            let mut c = c.clone();
            c.body = change(&c.body);
            Flow::Checkpointed(c)
        }
        Flow::Asked { fresh, inner: of } => Flow::Asked { fresh: fresh.clone(), inner: Box::new(inner(of, change)) },
    }
}

/// The last number in some code, or `from`.
pub(super) fn last(code: &[Flow], from: Id) -> Id {
    let mut out = from;
    for flow in code {
        out = out.max(match flow {
            Flow::Step(s) => s.id,
            Flow::Branch { id, arms, .. } => arms.iter().fold(*id, |m, a| last(a, m)),
            Flow::Counted { id, body, .. } | Flow::Tested { id, body, .. } | Flow::Fused { id, body, .. } => last(body, *id),
            Flow::Asked { inner, .. } => last(std::slice::from_ref(inner), from),
            Flow::Checkpointed(c) => last(std::slice::from_ref(&c.plain), from),
        });
    }
    out
}

/// Whether the reverse sweep runs some of this code again.
fn runs_again(code: &[Flow]) -> bool {
    code.iter().any(|flow| match flow {
        Flow::Step(_) => false,
        Flow::Fused { .. } | Flow::Asked { .. } | Flow::Checkpointed(_) => true,
        Flow::Branch { arms, .. } => arms.iter().any(|a| runs_again(a)),
        Flow::Counted { body, .. } | Flow::Tested { body, .. } => runs_again(body),
    })
}

/// Takes back what is known of writes since the start of a loop as long as nothing in it is run again.
fn forget(code: &mut [Flow], since: Id) {
    for flow in code {
        match flow {
            Flow::Step(s) => {
                s.writes.iter_mut().filter(|w| w.unless_again && w.since == Some(since)).for_each(|w| w.since = None);
            }
            Flow::Branch { arms, .. } => arms.iter_mut().for_each(|a| forget(a, since)),
            Flow::Counted { body, .. } | Flow::Tested { body, .. } | Flow::Fused { body, .. } => forget(body, since),
            Flow::Asked { inner, .. } => forget(std::slice::from_mut(inner), since),
            Flow::Checkpointed(c) => [&mut c.first, &mut c.ahead, &mut c.body].into_iter().for_each(|code| forget(code, since)),
        }
    }
}

/// Code without adjoints, under other numbers.
pub(super) fn stripped(code: &[Flow], shift: Id) -> Vec<Flow> {
    let strip = |flow: &Flow| {
        let flow = match flow {
            Flow::Asked { inner, .. } => inner,
            Flow::Checkpointed(c) => &c.plain,
            other => other,
        };
        let mut out = inner(flow, &mut |list| stripped(list, shift));
        match &mut out {
            Flow::Step(s) => {
                // Loops have other numbers here.
                s.writes.iter_mut().for_each(|w| w.since = None);
                *s = Step {
                    id: s.id + shift,
                    reads: std::mem::take(&mut s.reads),
                    writes: std::mem::take(&mut s.writes),
                    always: s.always,
                    loud: s.loud,
                    cost: s.cost,
                    ..Step::default()
                }
            }
            Flow::Branch { id, recomputed, .. } => {
                *id += shift;
                *recomputed = true;
            }
            Flow::Counted { id, .. } | Flow::Tested { id, .. } | Flow::Fused { id, .. } => *id += shift,
            Flow::Asked { .. } | Flow::Checkpointed(_) => {}
        }
        out
    };
    code.iter().map(strip).collect()
}

/// Code that does only what its adjoint needs. To an iteration its own elements are all there is of their arrays.
fn quiet(code: Vec<Flow>, own: &[Var]) -> Vec<Flow> {
    let hush = |flow: Flow| match flow {
        Flow::Step(s) if s.records_state => Flow::Step(s),
        Flow::Step(mut s) => {
            s.once |= s.always;
            // A call that records has to be run for its adjoint.
            s.always &= s.restores;
            s.writes.iter_mut().filter(|w| own.contains(&w.var)).for_each(|w| w.kills = true);
            Flow::Step(s)
        }
        Flow::Fused { id, index, operands, slices, fresh, apart, promised, ahead, body } => {
            Flow::Fused { id, index, operands, slices, fresh, apart, promised, ahead: quiet(ahead, own), body: quiet(body, own) }
        }
        Flow::Checkpointed(mut c) => {
            c.first = quiet(c.first, own);
            c.ahead = quiet(c.ahead, own);
            c.body = quiet(c.body, own);
            Flow::Checkpointed(c)
        }
        other => inner(&other, &mut |list| quiet(list.to_vec(), own)),
    };
    code.into_iter().map(hush).collect()
}
