//! The first statement, in the order of the reverse sweep, whose adjoint is wrong.
//!
//! The tape of the original gives the adjoint of every value at every boundary between statements. Lives here: these against what the reverse sweep holds
//! before and behind each statement. Never here: tangents.

use super::{Group, Held, Name, Reference, differentiated, groups, incoming, is_derivative, name, original, unit, unlike, zeros};
use crate::evaluate::taped::Tape;
use crate::evaluate::trace::{Address, Cell, Event, Trace, followed, traced};
use crate::evaluate::{Data, Limits, Outcome, Taped, Value, Values};
use crate::transform::signature::Role;
use crate::verify::certificate::Place;
use crate::verify::checks::Bench;
use crate::verify::engine::{Map, inputs};
use rustc_hash::FxHashSet;
use std::cell::RefCell;
use std::rc::Rc;
use xaif::Program;

/// Weights as different as the rows.
fn weight(k: usize) -> f64 {
    1.0 + 0.37 * (k % 7) as f64
}

/// The first statement, in the order of the reverse sweep, whose adjoint is wrong, for one dense weight.
pub fn adjoint(bench: &Bench, boosted: &Program, map: &Map, limits: &Limits) -> Option<Place> {
    let subject = bench.subject;
    let direction = bench.oracle.directions.iter().find(|d| d.unit.is_none())?;
    let tape: Rc<RefCell<Tape>> = Rc::default();
    let moved = original(bench, direction, &|x, _| Taped::input(x, &tape))?;
    let nodes: Vec<(String, Vec<Option<u32>>)> =
        moved.values.iter().map(|(n, d)| (n.clone(), d.values.iter().map(node).collect())).collect();
    let (outcome, reference) = traced(subject.program, subject.unit, &moved, limits).ok()?;
    let mut sweep = Sweep::new(bench, &reference, tape.take());
    let seeds = sweep.start(&outcome)?;
    let given = inputs(subject, map, bench.x, &zeros(bench, &seeds));
    let (ran, ours) = followed::<f64>(boosted, map.unit, &given, limits);
    if ours.incomplete || reference.incomplete {
        return None;
    }
    let wanted = differentiated(boosted, &ours);
    let expected = groups(&reference, &wanted);
    let mut held = Held::default();
    let mut from = expected.len();
    for g in groups(&ours, &wanted) {
        let Some((touched, written)) = touched(boosted, &g) else { continue };
        // The adjoint of a statement has to do with what the statement reads and sets, and nothing else.
        let names = |e: &Group<&Event<Taped>>| -> FxHashSet<Name> {
            let cells = e.items.iter().flat_map(|i| i.1.reads.iter().chain(i.1.writes.iter().map(|w| &w.0)));
            cells.map(|s| name(subject.program, s.cell).0).collect()
        };
        let same = |e: &Group<&Event<Taped>>| {
            let there = names(e);
            e.key == g.key && touched.iter().all(|n| there.contains(n))
        };
        let Some(at) = expected[..from].iter().rposition(same) else {
            // Something of the same variables, but of other elements: told if nothing else is found.
            if let Some(e) = expected[..from].iter().rfind(|e| e.key == g.key)
                && sweep.stray.is_none()
                && written.iter().any(|n| !names(e).contains(n) && names(e).iter().any(|m| m.0 == n.0))
            {
                sweep.stray = Some(e.first());
            }
            continue;
        };
        from = at;
        let e = &expected[at];
        e.items.iter().for_each(|i| sweep.r.matched[i.0] = true);
        held.forward(boosted, &ours, g.first());
        sweep.undo(e.last() + 1);
        if let Some(p) = sweep.before(&incoming(boosted, &g), e) {
            return Some(p);
        }
        held.forward(boosted, &ours, g.last() + 1);
        sweep.undo(e.first());
        if let Some(p) = sweep.behind(e, &g, &held, boosted, &ours) {
            return Some(p);
        }
    }
    let next = expected.get(from).map_or(reference.events.len(), Group::first);
    match ran {
        Err(f) => sweep.r.ended(&f, next.checked_sub(1)).or_else(|| sweep.strayed()),
        Ok(out) => {
            sweep.undo(0);
            sweep.at_the_end(&nodes, &out, map).or_else(|| sweep.strayed())
        }
    }
}

fn node(v: &Value<Taped>) -> Option<u32> {
    if let Value::Real(t, _) = v { t.node } else { None }
}

/// The derivatives that a group touches, and those that it sets; nothing for a copy of the statement in the forward sweep, which sets none.
fn touched(p: &Program, g: &Group<&Event<f64>>) -> Option<(FxHashSet<Name>, FxHashSet<Name>)> {
    let (mut touched, mut written): (FxHashSet<Name>, FxHashSet<Name>) = Default::default();
    for (_, e) in &g.items {
        let of = |c: Cell| name(p, c);
        written.extend(e.writes.iter().map(|w| of(w.0.cell)).filter(|n| n.1).map(|n| n.0));
        touched.extend(e.reads.iter().map(|s| of(s.cell)).filter(|n| n.1).map(|n| n.0));
    }
    touched.extend(written.iter().cloned());
    (!written.is_empty()).then_some((touched, written))
}

/// The tape on its way back.
struct Sweep<'a> {
    r: Reference<'a, Taped>,
    tape: Tape,
    bars: Vec<f64>,
    /// Magnitudes of what was added up.
    sizes: Vec<f64>,
    /// The number of nodes on the tape before each event.
    before: Vec<usize>,
    /// Nodes from here on are undone.
    done: usize,
    /// Rounding, relative to the magnitudes.
    rounding: f64,
    /// An event whose adjoint goes to other elements.
    stray: Option<usize>,
}

impl<'a> Sweep<'a> {
    fn new(bench: &'a Bench<'a>, trace: &'a Trace<Taped>, tape: Tape) -> Sweep<'a> {
        let n = tape.len();
        // Errors of single operations add up like steps of a random walk, times the magnitudes that were added.
        let rounding = unit(bench) * (16.0 + 4.0 * (n as f64).sqrt());
        let (r, before) = (Reference::new(bench, trace), boundaries(trace));
        Sweep { r, tape, bars: vec![0.0; n], sizes: vec![0.0; n], before, done: n, rounding, stray: None }
    }

    /// Weights on what comes out; the adjoints with which the reverse sweep starts.
    fn start(&mut self, outcome: &Outcome<Taped>) -> Option<Values<f64>> {
        let subject = self.r.bench.subject;
        let mut seeds = Values::new();
        for &s in &subject.dependents {
            let data = subject.value(&outcome.arguments, s).or_else(|| subject.value(&outcome.globals, s))?;
            for (k, v) in data.values.iter().enumerate() {
                if let Some(n) = node(v) {
                    self.bars[n as usize] += weight(k);
                    self.sizes[n as usize] += weight(k);
                }
            }
            let list = data.values.iter().enumerate().map(|(k, _)| Value::real(weight(k))).collect();
            seeds.insert(subject.name(s).to_owned(), Data { shape: data.shape.clone(), values: list });
        }
        Some(seeds)
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

    fn differs(&self, got: f64, node: u32) -> bool {
        let (want, size) = (self.bars[node as usize], self.sizes[node as usize]);
        (got - want).abs() > self.rounding * size || unlike(self.r.bench, got, want)
    }

    fn strayed(&self) -> Option<Place> {
        self.stray.and_then(|k| self.r.blame(k, "the adjoint of this statement goes to other elements".into()))
    }

    /// What is wrong with the adjoints that the code made for a statement finds.
    fn before(&self, read: &[(Name, f64)], e: &Group<&Event<Taped>>) -> Option<Place> {
        let p = self.r.bench.subject.program;
        for (n, got) in read {
            let mut of_name = e.items.iter().rev().flat_map(|i| i.1.writes.iter().map(|w| &w.0).chain(&i.1.reads));
            let Some(seen) = of_name.find(|s| name(p, s.cell).0 == *n) else { continue };
            let Some(node) = node(&seen.value).filter(|&k| self.differs(*got, k)) else { continue };
            let message = format!(
                "the adjoint of `{}` is {got:.10e} where this statement is reversed, should be {:.10e}",
                n.0, self.bars[node as usize]
            );
            return self
                .later(e.last() + 1, seen.address, e.frame, &message)
                .or_else(|| self.strayed().or_else(|| Some(self.r.place(e.frame, e.items[0].1.span, &e.items[0].1.text, message))));
        }
        None
    }

    /// Of the statements from an event on that have to do with an element until it is overwritten: the last that had no part in the reverse sweep, or the
    /// one that overwrites it. Where that is beyond the end of the call, and the element is right for the caller, the call.
    fn later(&self, from: usize, a: Address, frame: u32, message: &str) -> Option<Place> {
        let events = 0..self.r.trace.events.len();
        let mut last = None;
        let mut writer = None;
        for k in events.skip(from).filter(|&k| self.r.touches(k, a)) {
            if !self.r.matched[k] {
                last = Some(k);
            }
            if self.r.writes(k, a) {
                writer = Some(k);
                break;
            }
        }
        if let Some(k) = last {
            return self.r.blame(k, message.to_owned());
        }
        let outside = |k: usize| frame != 0 && self.r.trace.events[k].frame < frame;
        match writer {
            Some(k) if !outside(k) && self.stray.is_none() => self.r.blame(k, message.to_owned()),
            _ if frame != 0 && self.stray.is_none() => self.r.call(frame, message.to_owned()),
            _ => None,
        }
    }

    /// What is wrong with the adjoints that the code made for a statement leaves.
    fn behind(&self, e: &Group<&Event<Taped>>, g: &Group<&Event<f64>>, held: &Held, boosted: &Program, ours: &Trace<f64>) -> Option<Place> {
        let p = self.r.bench.subject.program;
        for (cell, node) in alive(e) {
            let (n, _) = name(p, cell);
            let Some(got) = held.get(g.frame, &n) else { continue };
            // What nobody reads any more may hold anything.
            if self.sizes[node as usize] == 0.0 || !self.differs(got, node) {
                continue;
            }
            let want = self.bars[node as usize];
            let message = format!("the adjoint of `{}` is {got:.10e} before this statement, should be {want:.10e}", n.0);
            let recorded = self.unrestored(e, g, boosted, ours);
            return recorded.or_else(|| Some(self.r.place(e.frame, e.items[0].1.span, &e.items[0].1.text, message)));
        }
        None
    }

    /// A value that the code made for a statement reads and that is not the original's: the statement that has overwritten it, or the call that starts with
    /// another.
    fn unrestored(&self, e: &Group<&Event<Taped>>, g: &Group<&Event<f64>>, boosted: &Program, ours: &Trace<f64>) -> Option<Place> {
        let p = self.r.bench.subject.program;
        let other = |a: f64, b: f64| (a - b).abs() > 1e-8 * (1.0 + a.abs().max(b.abs()));
        let real = |v: &Value<Taped>| if let Value::Real(t, _) = v { Some(t.v) } else { None };
        for s in g.items.iter().flat_map(|i| &i.1.reads).filter(|s| !is_derivative(boosted, s.cell)) {
            let n = name(boosted, s.cell).0;
            let there = e.items.iter().flat_map(|i| &i.1.reads).find(|r| name(p, r.cell).0 == n);
            let (Some(seen), Ok(got)) = (there, s.value.as_scalar()) else { continue };
            let Some(want) = real(&seen.value).filter(|&w| other(w, got)) else { continue };
            let message = format!("`{}` is {got:.10e} where this is reversed, should be {want:.10e} again", n.0);
            // What the call started with.
            let first = |t: &dyn Fn(usize) -> Option<f64>, len: usize| (0..len).find_map(t);
            let entered = first(
                &|k| {
                    let x = &self.r.trace.events[k];
                    let found = x.reads.iter().find(|r| x.frame == e.frame && name(p, r.cell).0 == n);
                    found.and_then(|r| real(&r.value))
                },
                self.r.trace.events.len(),
            );
            let again = first(
                &|k| {
                    let x = &ours.events[k];
                    let found = x.reads.iter().find(|r| x.frame == g.frame && name(boosted, r.cell) == (n.clone(), false));
                    found.and_then(|r| r.value.as_scalar().ok())
                },
                ours.events.len(),
            );
            if self.r.is_formal(e.frame, &n) && e.frame != 0 && entered.zip(again).is_some_and(|(a, b)| other(a, b)) {
                return self.r.call(e.frame, message);
            }
            let overwritten = (e.first()..self.r.trace.events.len()).find(|&k| self.r.writes(k, seen.address))?;
            return self.r.blame(overwritten, message);
        }
        None
    }

    /// What is wrong at the end without any statement that was.
    fn at_the_end(&self, nodes: &[(String, Vec<Option<u32>>)], out: &Outcome<f64>, map: &Map) -> Option<Place> {
        let subject = self.r.bench.subject;
        let formals = &subject.program.unit(subject.unit).formals;
        let role = |s| map.roles.iter().find(|(_, r)| matches!(r, Role::Derivative(k) if formals[*k].symbol == s)).map(|r| &r.0);
        let global = |s| map.globals.iter().find(|g| subject.program.same_name(&g.0, subject.name(s))).map(|g| &g.1);
        if map.directions.is_some() {
            return None;
        }
        for s in subject.named() {
            let got = role(s).and_then(|n| out.arguments.get(n)).or_else(|| global(s).and_then(|n| out.globals.get(n)));
            let Some(got) = got else { continue };
            let own = nodes.iter().find(|(n, _)| subject.program.same_name(n, subject.name(s))).map(|n| &n.1);
            let consumed = !subject.is_independent(s) && !subject.is_read(s) && subject.is_formal(s);
            for (k, g) in got.values.iter().enumerate() {
                let Ok(g) = g.as_scalar() else { continue };
                let node = own.filter(|_| subject.is_independent(s)).and_then(|l| l.get(k).copied().flatten());
                let (wrong, want) = match node {
                    Some(n) => (self.differs(g, n), self.bars[n as usize]),
                    None => (consumed && g != 0.0, 0.0),
                };
                if !wrong {
                    continue;
                }
                let text = if subject.program.case_insensitive { subject.name(s).to_lowercase() } else { subject.name(s).to_owned() };
                let n: Name = (text, k as i64);
                let message = format!("the adjoint of `{}` is {g:.10e} in the end, should be {want:.10e}", n.0);
                let found = self.r.address(0, &n).and_then(|a| self.later(0, a, 0, &message));
                let free = || (0..self.r.trace.events.len()).rev().find(|&e| !self.r.matched[e]);
                return found.or_else(|| self.strayed()).or_else(|| self.r.blame(free()?, message));
            }
        }
        None
    }
}

/// The number of nodes on the tape before each event.
fn boundaries(trace: &Trace<Taped>) -> Vec<usize> {
    let mut out = Vec::with_capacity(trace.events.len());
    let mut nodes = 0;
    for e in &trace.events {
        out.push(nodes);
        for seen in e.reads.iter().chain(e.writes.iter().map(|w| &w.0)) {
            if let Some(n) = node(&seen.value) {
                nodes = nodes.max(n as usize + 1);
            }
        }
    }
    out
}

/// What the elements that a group touches held before it, each once.
fn alive(g: &Group<&Event<Taped>>) -> Vec<(Cell, u32)> {
    let mut seen: FxHashSet<Cell> = FxHashSet::default();
    let mut out = Vec::new();
    for (_, e) in &g.items {
        let reads = e.reads.iter().map(|s| (s.cell, &s.value));
        for (c, v) in reads.chain(e.writes.iter().map(|(s, old)| (s.cell, old))) {
            if seen.insert(c)
                && let Some(n) = node(v)
            {
                out.push((c, n));
            }
        }
    }
    out
}
