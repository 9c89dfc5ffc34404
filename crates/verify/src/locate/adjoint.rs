//! The first statement, in the order of the reverse sweep, whose adjoint is wrong.
//!
//! The tape of the original gives the adjoint of every value at every boundary between statements. Lives here: these against what the reverse sweep
//! reads. Never here: tangents.

use super::common;
use super::common::{Incoming, incoming, left, named, original, told, unit, unlike};
use super::pairing::{Block, Pairs, pairs};
use super::past::Past;
use super::reference::Reference;
use super::run::{Name, Run, number};
use crate::certificate::Place;
use crate::checks::Bench;
use crate::engine::{Map, inputs};
use overbar_evaluate::taped::Tape;
use overbar_evaluate::trace::{Act, Address, Seen};
use overbar_evaluate::tracing::{followed, traced};
use overbar_evaluate::{Data, Limits, Outcome, Taped, Value, Values};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::rc::Rc;
use xaif::Program;
use xaif::model::{Passing, Span, SymbolId};

/// Of the adjoints of what is only read, with what they start.
const ADDED: f64 = 0.75;

/// What rounding hardly ever does to an adjoint.
const CLOSE: f64 = 1e-6;

/// Weights as different as the rows.
fn weight(k: usize) -> f64 {
    1.0 + 0.37 * (k % 7) as f64
}

/// The first statement, in the order of the reverse sweep, whose adjoint is wrong, for one dense weight. `closely`: something is known to be wrong, and
/// the bounds of rounding errors may be so wide that they hide it.
pub fn adjoint(bench: &Bench, boosted: &Program, map: &Map, limits: &Limits, closely: bool) -> Option<Place> {
    let subject = bench.subject;
    let direction = bench.oracle.directions.iter().find(|d| d.unit.is_none())?;
    let tape: Rc<RefCell<Tape>> = Rc::default();
    let moved = original(bench, direction, &|x, _| Taped::input(x, &tape))?;
    let nodes: Vec<(String, Vec<Option<u32>>)> =
        moved.values.iter().map(|(n, d)| (n.clone(), d.values.iter().map(node).collect())).collect();
    let (outcome, reference) = traced(subject.program, subject.unit, &moved, limits).ok()?;
    let tape = tape.take();
    let reference = Run::new(subject.program, &reference, 1);
    let (start, seeds) = Sweep::start(bench, &reference, &tape, &outcome)?;
    // What is only read has an adjoint that is added to.
    let added = |s| !bench.zero_init && subject.is_formal(s) && !subject.is_written(s) && subject.is_independent(s);
    let start = Sweep { closely, ..start.with(bench, &nodes, &added) };
    let given = inputs(subject, map, bench.x, &common::seeds(bench, &seeds, &|s| if added(s) { ADDED } else { 0.0 }));
    let (ran, trace) = followed::<f64>(boosted, map.unit, &given, limits);
    if trace.incomplete || reference.trace.incomplete {
        return None;
    }
    let derived = Run::new(boosted, &trace, if map.directions.is_some() { 2 } else { 1 });
    let (forward, backward) = pairs(&reference, &derived);
    let r = Reference { bench, run: &reference };
    let past = Past { r: &r, derived: &derived, forward: &forward, backward: &backward };
    let mut search = Search { moments: moments(&reference, &derived, &backward), past, start, right: FxHashSet::default() };
    search.through().or_else(|| match ran {
        Ok(out) => search.at_the_end(&nodes, &out, map),
        Err(f) => {
            let next = backward.blocks.iter().map(|b| b.original[0]).min().unwrap_or(reference.trace.events.len()).checked_sub(1);
            search
                .past
                .first(usize::MAX, &|b| search.is_wrong_behind(b))
                .or_else(|| search.past.stopped())
                .or_else(|| r.ended(&f, next, &backward))
        }
    })
}

/// Whether a place is the beginning of a call alone: that of what is done with the adjoints of its arguments.
fn begins(place: Span, call: Span) -> bool {
    place.is_known() && place == Span { end_line: call.line, end_column: call.column, ..call }
}

fn node(v: &Value<Taped>) -> Option<u32> {
    if let Value::Real(t, _) = v { t.node } else { None }
}

/// For each number of events of the original that are left to be reversed: how many events of derivative code there were when all others were
/// reversed.
fn moments(original: &Run<Taped>, derived: &Run<f64>, backward: &Pairs) -> Vec<usize> {
    let next = |moment: usize| {
        let k = backward.starts.partition_point(|&s| s < moment);
        backward.starts.get(k).copied().unwrap_or(derived.trace.events.len())
    };
    let n = original.trace.events.len();
    let mut out = vec![next(0); n + 1];
    for k in (0..n).rev() {
        let behind = |&d: &usize| {
            let mut moment = next(derived.behind(d));
            // What is done with the adjoints of a call's arguments behind it is part of it.
            if let Some((span, _, true)) = derived.key(d) {
                while derived.key(moment).is_some_and(|k| begins(k.0, span)) {
                    moment = next(moment + 1);
                }
            }
            moment
        };
        let done = backward.of(k).filter_map(|b| b.derived.last()).map(behind).max();
        out[k] = done.unwrap_or(0).max(out[k + 1]);
    }
    out
}

/// The tape on its way back.
#[derive(Clone)]
struct Sweep<'a> {
    bench: &'a Bench<'a>,
    tape: &'a Tape,
    bars: Vec<f64>,
    /// Magnitudes of what was added up.
    sizes: Vec<f64>,
    /// The number of nodes on the tape before each event.
    before: Rc<Vec<usize>>,
    /// Nodes from here on are undone.
    done: usize,
    /// Rounding, relative to the magnitudes.
    rounding: f64,
    /// What differs by more than [`CLOSE`] of itself is wrong, too.
    closely: bool,
    /// What the caller's adjoints of inputs start with. A unit may have an adjoint of its own for an argument, which starts from zero.
    given: Rc<FxHashMap<u32, f64>>,
}

impl<'a> Sweep<'a> {
    /// Weights on what comes out, and the adjoints with which the reverse sweep starts.
    fn start(bench: &'a Bench<'a>, run: &Run<Taped>, tape: &'a Tape, outcome: &Outcome<Taped>) -> Option<(Sweep<'a>, Values<f64>)> {
        let n = tape.len();
        let (mut bars, mut seeds) = (vec![0.0; n], Values::new());
        for &s in &bench.subject.dependents {
            let data = bench.subject.value(&outcome.arguments, s).or_else(|| bench.subject.value(&outcome.globals, s))?;
            for (k, n) in data.values.iter().enumerate().filter_map(|(k, v)| Some((k, node(v)?))) {
                bars[n as usize] += weight(k);
            }
            let list = data.values.iter().enumerate().map(|(k, _)| Value::real(weight(k))).collect();
            seeds.insert(bench.subject.name(s).to_owned(), Data { shape: data.shape.clone(), values: list });
        }
        // Errors of single operations add up like steps of a random walk, times the magnitudes that were added; slopes such as 1 - tanh(x)**2 cancel.
        let rounding = unit(bench) * (4096.0 + 4.0 * (n as f64).sqrt());
        Some((
            Sweep {
                bench,
                tape,
                sizes: bars.clone(),
                bars,
                before: Rc::new(boundaries(run)),
                done: n,
                rounding,
                closely: false,
                given: Rc::default(),
            },
            seeds,
        ))
    }

    /// The same with adjoints of inputs that are added to.
    fn with(mut self, bench: &Bench, nodes: &[(String, Vec<Option<u32>>)], added: &dyn Fn(SymbolId) -> bool) -> Sweep<'a> {
        let mut given = FxHashMap::default();
        for &s in bench.subject.independents.iter().filter(|&&s| added(s) && !bench.subject.is_dependent(s)) {
            let own = nodes.iter().filter(|(n, _)| bench.subject.program.same_name(n, bench.subject.name(s)));
            for n in own.flat_map(|(_, l)| l).flatten() {
                given.insert(*n, ADDED);
                self.sizes[*n as usize] += ADDED;
            }
        }
        self.given = Rc::new(given);
        self
    }

    /// Undoes everything behind the boundary before an event.
    fn undo(&mut self, event: usize) {
        let start = if event == 0 { 0 } else { self.before.get(event).copied().unwrap_or(self.tape.len()) };
        for k in (start..self.done).rev() {
            let (bar, size) = (self.bars[k], self.sizes[k]);
            if bar == 0.0 && size == 0.0 {
                continue;
            }
            for &(o, slope) in &self.tape[k] {
                self.bars[o as usize] += slope * bar;
                self.sizes[o as usize] += (slope * size).abs();
            }
        }
        self.done = self.done.min(start);
    }

    fn differs(&self, got: Option<f64>, node: u32) -> bool {
        let own = self.bars[node as usize];
        self.is_other(got, node, own) && self.given.get(&node).is_none_or(|g| self.is_other(got, node, own + g))
    }

    /// What the caller's adjoint of an input is in the end.
    fn in_the_end(&self, node: u32) -> f64 {
        self.bars[node as usize] + self.given.get(&node).copied().unwrap_or(0.0)
    }

    fn is_other(&self, got: Option<f64>, node: u32, want: f64) -> bool {
        let bound = self.rounding * self.sizes[node as usize];
        let tolerance = if self.closely && want != 0.0 { bound.min(CLOSE * want.abs()) } else { bound };
        got.is_none_or(|got| (got - want).abs() > tolerance || unlike(self.bench, got, want))
    }

    /// What nobody reads any more may hold anything.
    fn is_needed(&self, node: u32) -> bool {
        self.sizes[node as usize] != 0.0
    }
}

/// The number of nodes on the tape before each event.
fn boundaries(run: &Run<Taped>) -> Vec<usize> {
    let events = &run.trace.events;
    let on_tape = |v: &Value<Taped>| node(v).map_or(0, |n| n as usize + 1);
    // What was calculated to hand it over is part of the call.
    let mut handed = vec![0; events.len() + 1];
    for (k, e) in events.iter().enumerate() {
        let start = run.trace.frames.get(e.frame as usize).map_or(0, |f| f.start);
        for s in e.reads.iter().filter(|s| run.writer(s.address, k).is_none_or(|w| w.0 < start)) {
            handed[start] = handed[start].max(on_tape(&s.value));
        }
    }
    let mut out = Vec::with_capacity(events.len());
    let mut nodes = 0;
    for (k, handed) in handed.iter().enumerate().take(events.len()) {
        nodes = nodes.max(*handed);
        out.push(nodes);
        nodes = run.seen(k).map(|s| on_tape(&s.value)).fold(nodes, usize::max);
    }
    out
}

/// A wrong adjoint: of a value of the original, where it lies in derivative code, and when it was read with so many events of the original reversed.
struct Wrong {
    node: u32,
    here: Option<Address>,
    got: Option<f64>,
    moment: usize,
    boundary: usize,
    /// What another place has of the same adjoint, to which this one is added in the end.
    beside: Option<f64>,
    /// The execution that reads it.
    block: Option<Block>,
    message: String,
}

struct Search<'r, 't, 'a> {
    past: Past<'r, 't, Taped>,
    start: Sweep<'a>,
    moments: Vec<usize>,
    /// Places of adjoints that were right when they were handed to a call, with its activation.
    right: FxHashSet<(u32, Address)>,
}

impl Search<'_, '_, '_> {
    fn run(&self) -> &Run<'_, Taped> {
        self.past.r.run
    }

    /// Whether all that the reverse sweep reads is right.
    fn through(&mut self) -> Option<Place> {
        let backward = self.past.backward;
        let behind = |b: &Block| b.original.last().map_or(0, |&k| self.run().behind(k));
        let mut blocks: Vec<(usize, &Block)> = backward.blocks.iter().map(|b| (behind(b), b)).collect();
        blocks.sort_by_key(|(behind, b)| (std::cmp::Reverse(*behind), b.derived[0]));
        let mut sweep = self.start.clone();
        for (boundary, b) in blocks {
            sweep.undo(boundary);
            let call = match self.run().trace.events[b.original[0]].act {
                Act::Call(Some(f)) => Some(f),
                _ => None,
            };
            for i in incoming(self.run(), self.past.derived, b) {
                let Some(node) = self.run().at(i.there, boundary).and_then(node) else { continue };
                if !sweep.differs(i.value, node) {
                    self.right.extend(call.map(|f| (f, i.here)));
                } else if !i.added
                    && (call.is_none() || sweep.is_needed(node))
                    && let Some(p) = self.blame(&Self::wrong(&sweep, i, node, boundary, b))
                {
                    return Some(p);
                }
            }
        }
        None
    }

    fn wrong(sweep: &Sweep, i: Incoming, node: u32, boundary: usize, b: &Block) -> Wrong {
        let want = sweep.bars[node as usize];
        let message = format!("the adjoint of `{}` is {} where it is needed, should be {want:.10e}", i.name.0, told(i.value));
        Wrong { node, here: Some(i.here), got: i.value, moment: i.event, boundary, beside: None, block: Some(b.clone()), message }
    }

    fn blame(&self, w: &Wrong) -> Option<Place> {
        let past = &self.past;
        if let Some(p) = past.first(w.moment, &|b| self.is_wrong_behind(b)).or_else(|| self.exchanged(w)) {
            return Some(p);
        }
        match self.culprit(w) {
            Culprit::Event(k) => past.r.blame(k, past.backward, w.message.clone()),
            Culprit::Call(f) => past.r.call(f, w.message.clone()),
            Culprit::Stray(d, frame) => past.r.stray(past.derived, past.backward, d, frame, w.message.clone()),
        }
    }

    /// Whether code made for a statement leaves a wrong adjoint.
    fn is_wrong_behind(&self, b: &Block) -> bool {
        let (run, derived, boundary) = (self.run(), self.past.derived, b.original[0]);
        let mut sweep = self.start.clone();
        sweep.undo(boundary);
        let names = b.original.iter().flat_map(|&k| run.seen(k)).filter_map(|s| Some((run.name(s.cell)?.0, s.address)));
        let places: FxHashMap<Name, Address> = names.collect();
        let mut set: FxHashMap<Name, Option<f64>> = FxHashMap::default();
        for &k in &b.derived {
            let e = &derived.trace.events[k];
            if e.writes.is_empty() {
                return true;
            }
            let derivatives = e.writes.iter().filter_map(|w| Some((derived.name(w.0.cell).filter(|n| n.1)?.0, number(&w.0.value))));
            set.extend(derivatives);
        }
        set.into_iter().any(|(n, got)| {
            let node = places.get(&n).and_then(|&a| run.at(a, boundary)).and_then(node);
            node.is_some_and(|n| sweep.is_needed(n) && sweep.differs(got, n))
        })
    }

    /// Follows a wrong adjoint back to where it was still right.
    fn culprit(&self, w: &Wrong) -> Culprit {
        if let Some(other) = self.added(w) {
            return other.map_or_else(|c| c, |inner| self.culprit(&inner));
        }
        let (run, derived) = (self.run(), self.past.derived);
        let events = &run.trace.events;
        let frame = w.block.as_ref().map_or(0, |b| events[b.original[0]].frame);
        let holds = |k: usize| events[k].writes.iter().any(|(_, old)| node(old) == Some(w.node));
        let overwriting = (w.boundary..events.len()).rev().find(|&k| holds(k));
        let first = overwriting.unwrap_or(events.len());
        let mut sweep = self.start.clone();
        let (mut found, mut before, mut moment) = (None, State::Right, w.moment);
        for k in (w.boundary..=first).rev() {
            sweep.undo(k);
            let there = w.here.and_then(|a| derived.at(a, self.moments[k]).map(number));
            let got = match w.beside {
                Some(other) => there.unwrap_or(Some(0.0)).map(|own| own + other),
                None => there.unwrap_or(w.got),
            };
            let now = match (sweep.differs(got, w.node), sweep.is_needed(w.node) || (got.is_none() && self.uses(k, w.node))) {
                (false, _) => State::Right,
                (true, false) => State::Open,
                (true, true) => State::Wrong,
            };
            if now != State::Right
                && let Some(f) = self.wrong_when_called(w, k)
            {
                return Culprit::Call(f);
            }
            match now {
                // What is only added to something that may hold anything is right in itself.
                State::Wrong if before == State::Open && w.here.is_some_and(|a| self.reads(a, self.moments[k + 1], self.moments[k])) => {
                    moment = self.moments[k + 1];
                }
                State::Wrong if before != State::Wrong => found = Some(k),
                State::Right => (found, moment) = (None, w.moment),
                _ => {}
            }
            before = now;
        }
        if let Some(k) = found {
            return match (self.inside(k).or_else(|| self.result(k, w)), self.elsewhere(k, w)) {
                (Some(inner), _) => self.culprit(&inner),
                (None, Some(d)) => Culprit::Stray(d, frame),
                (None, None) => Culprit::Event(k.min(events.len().saturating_sub(1))),
            };
        }
        // Set by code that has nothing to do with it, or not set back to zero.
        let last = w.here.and_then(|a| derived.writer(a, moment)).map(|d| d.0);
        let since = overwriting.map_or(0, |k| self.moments[k]);
        match (last.filter(|&d| d >= since), overwriting, &w.block) {
            (Some(d), ..) if self.past.backward.by(d).is_some_and(|b| Some(b.original[0]) != overwriting) => Culprit::Stray(d, frame),
            (_, Some(k), _) => Culprit::Event(k),
            (_, None, Some(b)) if frame != 0 && self.is_handed(b, w.here) => Culprit::Call(frame),
            (_, None, Some(b)) => Culprit::Event(b.original[0]),
            (_, None, None) => Culprit::Event(0),
        }
    }

    /// A unit may have an adjoint of its own for an argument, which it adds to the caller's in the end: that addition is to blame, or what it adds.
    fn added(&self, w: &Wrong) -> Option<Result<Wrong, Culprit>> {
        let derived = self.past.derived;
        let here = w.here.filter(|_| w.beside.is_none())?;
        let (d, place) = derived.writer(here, w.moment)?;
        let e = &derived.trace.events[d];
        let name = derived.name(e.writes.iter().find(|s| s.0.address == place)?.0.cell).filter(|n| n.1)?;
        let same = |s: &&Seen<f64>| derived.name(s.cell).as_ref() == Some(&name);
        let (before, own) = (e.reads.iter().find(|s| s.address == place)?, e.reads.iter().filter(same).find(|s| s.address != place)?);
        let (before, value) = (number(&before.value)?, number(&own.value)?);
        let mut sweep = self.start.clone();
        sweep.undo(w.boundary);
        if sweep.differs(Some(before + value), w.node) {
            let message = w.message.clone();
            return Some(Ok(Wrong {
                here: Some(own.address),
                got: Some(value),
                moment: d,
                beside: Some(before),
                block: w.block.clone(),
                message,
                ..*w
            }));
        }
        Some(Err(Culprit::Stray(d, w.block.as_ref().map_or(0, |b| self.run().trace.events[b.original[0]].frame))))
    }

    /// The last to set a place while an event was reversed, where that was made for another statement.
    fn elsewhere(&self, k: usize, w: &Wrong) -> Option<usize> {
        let (run, derived) = (self.run(), self.past.derived);
        let (from, to) = (*self.moments.get(k + 1)?, self.moments[k]);
        let (d, _) = derived.writer(w.here?, to).filter(|d| d.0 >= from)?;
        let span = derived.key(d)?.0;
        // What belongs to the call that led here is in its place.
        let called = run.trace.frames.get(run.trace.events[k].frame as usize).is_some_and(|f| begins(span, f.span));
        (span != run.key(k)?.0 && !called && self.past.backward.by(d).is_none()).then_some(d)
    }

    /// A call that hands over the adjoint of one variable where it should be that of another one.
    fn exchanged(&self, w: &Wrong) -> Option<Place> {
        let (run, derived) = (self.run(), self.past.derived);
        let mut blocks: Vec<&Block> = self.past.backward.blocks.iter().filter(|b| b.derived[0] < w.moment).collect();
        blocks.sort_by_key(|b| b.derived[0]);
        for b in blocks {
            let (call, made) = (&run.trace.events[b.original[0]], &derived.trace.events[b.derived[0]]);
            let (Act::Call(Some(f)), Act::Call(Some(d))) = (call.act, made.act) else { continue };
            for (n, here) in derived.places(d, true) {
                let here = derived.origin(here, d);
                let handed = made.reads.iter().filter(|s| s.address == here).find_map(|s| derived.name(s.cell)).filter(|m| m.1);
                let (Some((outer, _)), Some(own)) = (handed, run.place(f, n, false)) else { continue };
                let own = run.origin(own, f);
                let other = run.place(call.frame, &outer, false).is_some_and(|a| a != own);
                if other && call.reads.iter().any(|s| s.address == own) {
                    return self.past.r.call(f, format!("the adjoint of `{}` is handed over for that of another variable", outer.0));
                }
            }
        }
        None
    }

    /// What is wrong when the unit is left that a call of the original has called, of what the call hands over.
    fn inside(&self, call: usize) -> Option<Wrong> {
        let (run, derived) = (self.run(), self.past.derived);
        let Act::Call(Some(f)) = run.trace.events.get(call)?.act else { return None };
        let block = self.past.backward.of(call).next()?;
        let Act::Call(Some(d)) = derived.trace.events[block.derived[0]].act else { return None };
        let (boundary, moment) = (run.trace.frames[f as usize].start, derived.behind(block.derived[0]));
        let mut sweep = self.start.clone();
        sweep.undo(boundary);
        let events = &run.trace.events[boundary..run.behind(call)];
        for (k, s) in (boundary..).zip(events).filter(|(_, e)| e.frame == f).flat_map(|(k, e)| e.reads.iter().map(move |s| (k, s))) {
            let Some((node, n)) = node(&s.value).zip(run.name(s.cell)).map(|(node, n)| (node, n.0)) else { continue };
            let Some(here) = derived.place(d, &n, true).filter(|_| run.writer(s.address, k).is_none_or(|w| w.0 < boundary)) else {
                continue;
            };
            let got = derived.at(here, moment).and_then(number);
            if sweep.is_needed(node) && sweep.differs(got, node) {
                let message = format!("the adjoint of `{}` is {}, should be {:.10e}", n.0, told(got), sweep.bars[node as usize]);
                let block = self.past.backward.of(k).next().cloned();
                return Some(Wrong { node, here: Some(here), got, moment, boundary, beside: None, block, message });
            }
        }
        None
    }

    /// The adjoint of what an assignment sets, where that is wrong when it comes to the assignment: then another one is to blame.
    fn result(&self, k: usize, w: &Wrong) -> Option<Wrong> {
        let (run, derived) = (self.run(), self.past.derived);
        let e = run.trace.events.get(k).filter(|e| e.act == Act::Assignment)?;
        let moment = *self.moments.get(k + 1)?;
        let mut blocks = self.past.backward.blocks.iter();
        let b = blocks.find(|b| run.trace.events[b.original[0]].frame == e.frame)?;
        let frame = derived.trace.events[b.derived[0]].frame;
        let mut sweep = self.start.clone();
        sweep.undo(k + 1);
        for (s, _) in &e.writes {
            let (Some(node), Some((name, false))) = (node(&s.value), run.name(s.cell)) else { continue };
            let Some(here) = derived.place_at(frame, &name, moment) else { continue };
            let got = derived.at(here, moment).and_then(number);
            if got.is_some() && node != w.node && sweep.is_needed(node) && sweep.differs(got, node) {
                let block = self.past.backward.of(k).next().cloned().or_else(|| Some(b.clone()));
                let message = w.message.clone();
                return Some(Wrong { node, here: Some(here), got, moment, boundary: k + 1, beside: None, block, message });
            }
        }
        None
    }

    /// Whether the call of the activation that executes a block hands a place over.
    fn is_handed(&self, b: &Block, here: Option<Address>) -> bool {
        let (original, derived) = (self.run(), self.past.derived);
        let start = original.trace.frames[original.trace.events[b.original[0]].frame as usize].start;
        let call = start.checked_sub(1).and_then(|c| self.past.backward.of(c).next());
        call.is_some_and(|c| c.derived.iter().flat_map(|&d| &derived.trace.events[d].reads).any(|s| Some(s.address) == here))
    }

    /// Whether an event of the original reads a value.
    fn uses(&self, k: usize, value: u32) -> bool {
        self.run().trace.events.get(k).is_some_and(|e| e.reads.iter().any(|s| node(&s.value) == Some(value)))
    }

    /// Whether derivative code reads a place before it sets it, between two moments.
    fn reads(&self, a: Address, from: usize, to: usize) -> bool {
        let events = self.past.derived.trace.events.get(from..to).unwrap_or_default();
        let first = events.iter().find(|e| e.reads.iter().chain(e.writes.iter().map(|w| &w.0)).any(|s| s.address == a));
        first.is_some_and(|e| e.reads.iter().any(|s| s.address == a))
    }

    /// The activation that ends at a boundary, where a call hands it a place that is wrong here and was right under its name outside.
    fn wrong_when_called(&self, w: &Wrong, boundary: usize) -> Option<u32> {
        let here = w.here?;
        let mut frame = Some(self.run().trace.events[w.block.as_ref()?.original[0]].frame);
        while let Some(f) = frame {
            let activation = &self.run().trace.frames[f as usize];
            if activation.end == boundary && self.right.contains(&(f, here)) {
                return Some(f);
            }
            frame = activation.caller;
        }
        None
    }

    /// What is wrong in the end.
    fn at_the_end(&self, nodes: &[(String, Vec<Option<u32>>)], out: &Outcome<f64>, map: &Map) -> Option<Place> {
        let bench = self.past.r.bench;
        let subject = bench.subject;
        if map.directions.is_some() {
            return None;
        }
        let mut sweep = self.start.clone();
        sweep.undo(0);
        for s in subject.named() {
            let Some(got) = left(bench, map, out, s) else { continue };
            let own = nodes.iter().find(|(n, _)| subject.program.same_name(n, subject.name(s))).map(|n| &n.1);
            for (k, g) in got.values.iter().enumerate() {
                let n = named(bench, s, k);
                let (g, here) = (number(g), self.past.derived.place(0, &n, true));
                let message = |want: f64| format!("the adjoint of `{}` is {} in the end, should be {want:.10e}", n.0, told(g));
                let node = own.filter(|_| subject.is_independent(s)).and_then(|l| l.get(k).copied().flatten());
                if let Some(node) = node.filter(|&n| sweep.is_other(g, n, sweep.in_the_end(n))) {
                    let (message, moment) = (message(sweep.in_the_end(node)), self.past.derived.trace.events.len());
                    return self.blame(&Wrong { node, here, got: g, moment, boundary: 0, beside: None, block: None, message });
                }
                let by_value = subject.program.symbol(s).passing() == Passing::Value;
                let result = subject.program.unit(subject.unit).result().is_some_and(|f| f.symbol == s);
                let consumed = !subject.is_independent(s) && !subject.is_read(s) && subject.is_formal(s) && !by_value && !result;
                if consumed && g != Some(0.0) {
                    // What nothing sets keeps its adjoint.
                    let Some(first) = self.run().place(0, &n, false).and_then(|a| self.run().next_writer(a, 0)) else { continue };
                    return self.past.r.blame(first, self.past.backward, message(0.0));
                }
            }
        }
        None
    }
}

/// How an adjoint is at a boundary.
#[derive(Clone, Copy, PartialEq)]
enum State {
    Right,
    /// It is another one, but nothing has needed it yet.
    Open,
    Wrong,
}

/// Where a derivative became wrong.
enum Culprit {
    /// In what was made for an event of the original, or was not made.
    Event(usize),
    /// In the call that made an activation.
    Call(u32),
    /// At an event of derivative code, as seen from an activation of the original.
    Stray(usize, u32),
}
