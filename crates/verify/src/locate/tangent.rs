//! The first statement whose tangent is wrong: both programs forward in lockstep.
//!
//! Lives here: derivatives of what statements read, compared with dual numbers. Never here: adjoints.

use super::common::{Incoming, incoming, left, named, original, seeds, told, unit, unlike};
use super::pairing::{Block, pairs};
use super::past::Past;
use super::reference::Reference;
use super::run::Run;
use super::run::number;
use crate::certificate::Place;
use crate::checks::Bench;
use crate::engine::{Map, inputs};
use crate::oracle::DRIFT;
use overbar_evaluate::trace::{Act, Address};
use overbar_evaluate::tracing::{followed, traced};
use overbar_evaluate::{Dual, Limits, Noisy, Outcome, Value};
use xaif::Program;

/// The first statement whose tangent is wrong, in a dense direction.
pub fn tangent(bench: &Bench, boosted: &Program, map: &Map, limits: &Limits) -> Option<Place> {
    let direction = bench.oracle.directions.iter().find(|d| d.unit.is_none())?;
    let moved = original(bench, direction, &|x, d| Noisy::input(Dual::new(x, [d])))?;
    let (outcome, reference) = traced(bench.subject.program, bench.subject.unit, &moved, limits).ok()?;
    let given = inputs(bench.subject, map, bench.x, &seeds(bench, &direction.seeds, &|s| if bench.subject.forgets(s) { 1.5 } else { 0.0 }));
    let (ran, trace) = followed::<f64>(boosted, map.unit, &given, limits);
    let reference = Run::new(bench.subject.program, &reference, 1);
    let derived = Run::new(boosted, &trace, if map.directions.is_some() { 2 } else { 1 });
    let (forward, backward) = pairs(&reference, &derived);
    let r = Reference { bench, run: &reference };
    let past = Past { r: &r, derived: &derived, forward: &forward, backward: &backward };
    let search = Search { past };
    search.through().or_else(|| match ran {
        Ok(out) => search.at_the_end(&outcome, &out, map),
        Err(f) => {
            let next = forward.blocks.iter().filter_map(|b| b.original.last()).max().map_or(0, |k| k + 1);
            let next = next.min(reference.trace.events.len().saturating_sub(1));
            search.past.first(usize::MAX, &|_| false).or_else(|| r.ended(&f, Some(next), &forward))
        }
    })
}

/// A wrong tangent: of an element of the original before one of its events, where it lies in derivative code, and when it was read.
struct Wrong {
    there: Address,
    here: Option<Address>,
    event: usize,
    moment: usize,
    /// The activation of the original in which it is read.
    frame: u32,
    message: String,
}

struct Search<'r, 't> {
    past: Past<'r, 't, Noisy>,
}

impl Search<'_, '_> {
    fn differs(&self, got: Option<f64>, x: &Noisy) -> bool {
        let bench = self.past.r.bench;
        let want = x.exact.derivative(0);
        let tolerance = DRIFT * x.spread(Some(0)) + 16.0 * unit(bench) * want.abs();
        got.is_none_or(|got| (got - want).abs() > tolerance || unlike(bench, got, want))
    }

    /// Whether all that derivative code reads is right.
    fn through(&self) -> Option<Place> {
        let mut blocks: Vec<&Block> = self.past.forward.blocks.iter().collect();
        blocks.sort_by_key(|b| b.original[0]);
        // What is handed to a call and not read there may hold anything.
        let call = |b: &Block| matches!(self.past.r.run.trace.events[b.original[0]].act, Act::Call(_));
        blocks.into_iter().filter(|b| !call(b)).find_map(|b| self.wrong(b)).and_then(|w| self.blame(&w))
    }

    /// The first wrong tangent that comes into a block.
    fn wrong(&self, b: &Block) -> Option<Wrong> {
        let run = self.past.r.run;
        let event = b.original[0];
        let value = |i: &Incoming| match run.at(i.there, event) {
            Some(Value::Real(x, _)) => Some(x),
            _ => None,
        };
        let (i, x) = incoming(run, self.past.derived, b).into_iter().find_map(|i| {
            let x = value(&i).filter(|x| self.differs(i.value, x))?;
            Some((i, x))
        })?;
        let message =
            format!("the tangent of `{}` is {} where it is needed, should be {:.10e}", i.name.0, told(i.value), x.exact.derivative(0));
        let frame = run.trace.events[event].frame;
        Some(Wrong { there: i.there, here: Some(i.here), event, moment: i.event, frame, message })
    }

    fn blame(&self, w: &Wrong) -> Option<Place> {
        self.past.first(w.moment, &|_| false).or_else(|| self.culprit(w))
    }

    /// Follows a wrong tangent back to the statement that has set it, or should have.
    fn culprit(&self, w: &Wrong) -> Option<Place> {
        let (r, run, derived, forward) = (self.past.r, self.past.r.run, self.past.derived, self.past.forward);
        let message = || w.message.clone();
        let Some((k, a)) = run.writer(w.there, w.event) else { return self.entered(w) };
        let blocks: Vec<&Block> = forward.of(k).collect();
        let Some(last) = blocks.iter().filter_map(|b| b.derived.last()).max().copied().filter(|_| self.is_right(&blocks, k, a)) else {
            return r.blame(k, forward, message());
        };
        // It was right, and set again since; or it is another one that is handed over.
        let since = w.here.and_then(|h| derived.writer(h, w.moment)).map(|d| d.0).filter(|&d| d > last);
        let activation = &run.trace.frames[w.frame as usize];
        let called = (activation.start > k).then(|| forward.of(activation.start.wrapping_sub(1)).next()).flatten();
        match since {
            Some(d) if called.is_none_or(|c| c.derived[0] < d) => r.stray(derived, forward, d, w.frame, message()),
            _ if activation.start > k => r.call(w.frame, message()),
            _ if run.trace.events[k].frame != w.frame => r.seen_from(k, w.frame, message()),
            _ => r.event(w.event, message()),
        }
    }

    /// What was there before the call.
    fn entered(&self, w: &Wrong) -> Option<Place> {
        let run = self.past.r.run;
        let start = run.trace.frames[w.frame as usize].start;
        let call = start.checked_sub(1).and_then(|c| self.past.forward.of(c).next()).and_then(|b| self.wrong(b));
        match call {
            Some(outer) if outer.frame < w.frame => self.culprit(&outer),
            _ => self.past.r.call(w.frame, w.message.clone()).or_else(|| self.past.r.event(w.event, w.message.clone())),
        }
    }

    /// Whether derivative code has set the right tangent of what an event sets.
    fn is_right(&self, blocks: &[&Block], event: usize, a: Address) -> bool {
        let (run, derived) = (self.past.r.run, self.past.derived);
        let Some((s, _)) = run.trace.events[event].writes.iter().find(|w| w.0.address == a) else { return false };
        let (Some((n, _)), Value::Real(x, _)) = (run.name(s.cell), &s.value) else { return false };
        let mut set = blocks.iter().flat_map(|b| &b.derived).flat_map(|&d| derived.trace.events[d].writes.iter().rev());
        let own = set.rfind(|w| derived.name(w.0.cell).is_some_and(|m| m.1 && m.0 == n));
        own.is_some_and(|w| !self.differs(number(&w.0.value), x))
    }

    /// What is wrong in the end.
    fn at_the_end(&self, outcome: &Outcome<Noisy>, out: &Outcome<f64>, map: &Map) -> Option<Place> {
        let (bench, run, derived) = (self.past.r.bench, self.past.r.run, self.past.derived);
        let subject = bench.subject;
        if map.directions.is_some() {
            return None;
        }
        for &s in &subject.dependents {
            let want = subject.value(&outcome.arguments, s).or_else(|| subject.value(&outcome.globals, s));
            let (Some(got), Some(want)) = (left(bench, map, out, s), want) else { continue };
            for (k, (g, v)) in got.values.iter().zip(&want.values).enumerate() {
                let Value::Real(x, _) = v else { continue };
                if !self.differs(number(g), x) {
                    continue;
                }
                let n = named(bench, s, k);
                let message =
                    format!("the tangent of `{}` is {} in the end, should be {:.10e}", n.0, told(number(g)), x.exact.derivative(0));
                let there = run.place(0, &n, false)?;
                let (event, moment) = (run.trace.events.len(), derived.trace.events.len());
                return self.blame(&Wrong { there, here: derived.place(0, &n, true), event, moment, frame: 0, message });
            }
        }
        None
    }
}
