//! Which statement is to blame: the first whose local derivative is wrong, in the order in which derivatives are propagated.
//!
//! Original and derivative unit run side by side in the interpreter, and their records are compared statement by statement, through however many calls,
//! blocks and passes of loops ([`tangent`], [`adjoint`]). What a statement of derivative code reads is compared before it, what it sets behind it. What is
//! wrong before it comes from a statement that has no part in the derivative code where it should have one: the original's record says which. What is
//! wrong behind it is its own fault, or that of one whose overwritten value does not come back. Statements of derivative code are those that carry the
//! place of the original; a call of which nothing is found stands for all that it does. Lives here: what both modes share. Never here: verdicts.

pub mod adjoint;
pub mod tangent;

pub use adjoint::adjoint;
pub use tangent::tangent;

use super::certificate::Place;
use super::checks::Bench;
use super::oracle::Direction;
use crate::evaluate::trace::{Address, Cell, Event, Trace};
use crate::evaluate::{Data, Fault, Inputs, Scalar, Value, Values, check};
use rustc_hash::FxHashSet;
use xaif::Program;
use xaif::model::Span;

/// A variable's element by name.
type Name = (String, i64);

/// A statement's place: spans where they are known, else lines.
type Key = (Span, u32);

/// Consecutive executions of one statement in one activation, with their numbers in the record.
struct Group<T> {
    frame: u32,
    key: Key,
    items: Vec<(usize, T)>,
}

impl<T> Group<T> {
    fn first(&self) -> usize {
        self.items.first().map_or(0, |i| i.0)
    }

    fn last(&self) -> usize {
        self.items.last().map_or(0, |i| i.0)
    }
}

fn key<S>(e: &Event<S>) -> Option<Key> {
    (e.span.is_known() || e.line > 0).then_some((e.span, if e.span.is_known() { 0 } else { e.line }))
}

fn groups<'t, S>(trace: &'t Trace<S>, wanted: &FxHashSet<Key>) -> Vec<Group<&'t Event<S>>> {
    let mut out: Vec<Group<&Event<S>>> = Vec::new();
    for (k, e) in trace.events.iter().enumerate() {
        let Some(key) = key(e).filter(|k| wanted.contains(k)) else { continue };
        match out.last_mut() {
            Some(g) if g.frame == e.frame && g.key == key => g.items.push((k, e)),
            _ => out.push(Group { frame: e.frame, key, items: vec![(k, e)] }),
        }
    }
    out
}

/// The name of a cell, and whether it is that of a derivative.
fn name(p: &Program, (s, k): Cell) -> (Name, bool) {
    let y = p.symbol(s);
    let base = y.decl.as_ref().and_then(|d| d.derivative_of);
    let text = base.map_or(&y.name, |b| &p.symbol(b).name);
    let text = if p.case_insensitive { text.to_lowercase() } else { text.to_string() };
    ((text, k), base.is_some())
}

fn is_derivative(p: &Program, c: Cell) -> bool {
    name(p, c).1
}

/// Statements of which the derivative unit has a derivative.
fn differentiated<S>(p: &Program, trace: &Trace<S>) -> FxHashSet<Key> {
    trace.events.iter().filter(|e| e.writes.iter().any(|w| is_derivative(p, w.0.cell))).filter_map(key).collect()
}

/// The record of the original, and which of its events had a part in what was compared.
struct Reference<'a, S> {
    bench: &'a Bench<'a>,
    trace: &'a Trace<S>,
    matched: Vec<bool>,
}

impl<'a, S: Scalar> Reference<'a, S> {
    fn new(bench: &'a Bench<'a>, trace: &'a Trace<S>) -> Reference<'a, S> {
        Reference { bench, trace, matched: vec![false; trace.events.len()] }
    }

    fn place(&self, frame: u32, span: Span, text: &str, message: String) -> Place {
        let p = self.bench.subject.program;
        let location = p.location(span);
        let statement =
            if text.is_empty() { location.as_ref().map_or_else(String::new, |l| super::line_of(p, l)) } else { text.to_owned() };
        let units = self.trace.callers(frame).into_iter().map(|u| p.unit_name(u).to_owned()).collect();
        Place { location, units, statement, message }
    }

    /// An event's statement; the call of its unit where nothing of what that call did has been met, and so on outward.
    fn blame(&self, k: usize, message: String) -> Option<Place> {
        let e = self.trace.events.get(k)?;
        let mut call = None;
        let mut frame = e.frame;
        while !self.met(frame)
            && let Some(&(_, Some(caller), span)) = self.trace.frames.get(frame as usize)
        {
            if span.is_known() {
                call = Some((caller, span));
            }
            frame = caller;
        }
        Some(match call {
            Some((caller, span)) => self.place(caller, span, "", message),
            None => self.place(e.frame, e.span, &e.text, message),
        })
    }

    /// The call that made an activation.
    fn call(&self, frame: u32, message: String) -> Option<Place> {
        let &(_, caller, span) = self.trace.frames.get(frame as usize)?;
        caller.map(|c| self.place(c, span, "", message))
    }

    /// Whether anything in an activation, or in what it called, was matched.
    fn met(&self, frame: u32) -> bool {
        let within = |mut f: u32| {
            while f > frame
                && let Some(&(_, Some(caller), _)) = self.trace.frames.get(f as usize)
            {
                f = caller;
            }
            f == frame
        };
        self.trace.events.iter().zip(&self.matched).any(|(e, m)| *m && within(e.frame))
    }

    /// The place of an element, from what an activation has done with it.
    fn address(&self, frame: u32, n: &Name) -> Option<Address> {
        let p = self.bench.subject.program;
        let cells = |e: &'a Event<S>| e.reads.iter().chain(e.writes.iter().map(|w| &w.0));
        let of = self.trace.events.iter().filter(|e| e.frame == frame).flat_map(cells);
        of.into_iter().find(|s| name(p, s.cell).0 == *n).map(|s| s.address)
    }

    /// Whether the variable is an argument of the unit of an activation.
    fn is_formal(&self, frame: u32, n: &Name) -> bool {
        let p = self.bench.subject.program;
        let Some(&(unit, ..)) = self.trace.frames.get(frame as usize) else { return false };
        p.unit(unit).formals.iter().any(|f| p.same_name(&p.symbol(f.symbol).name, &n.0))
    }

    fn writes(&self, k: usize, a: Address) -> bool {
        self.trace.events[k].writes.iter().any(|w| w.0.address == a)
    }

    fn touches(&self, k: usize, a: Address) -> bool {
        self.writes(k, a) || self.trace.events[k].reads.iter().any(|s| s.address == a)
    }

    /// The statement at which a run ended: the event that comes next with its place, searched among these, or the place alone.
    fn ended(&self, f: &Fault, next: Option<usize>) -> Option<Place> {
        let message = format!("derivative code stops in what was made for this statement: {} ({})", f.message, f.code);
        let p = self.bench.subject.program;
        let there = |k: &usize| f.location.is_some() && p.location(self.trace.events[*k].span) == f.location;
        if let Some(k) = (0..self.trace.events.len()).find(there) {
            let e = &self.trace.events[k];
            return Some(self.place(e.frame, e.span, &e.text, message));
        }
        match (&f.location, next) {
            (Some(l), _) => Some(Place { location: f.location.clone(), units: Vec::new(), statement: super::line_of(p, l), message }),
            (None, Some(k)) => self.blame(k, message),
            _ => None,
        }
    }
}

/// One is a number and the other is not; where some derivatives do not exist, that says nothing.
fn unlike(bench: &Bench, got: f64, want: f64) -> bool {
    got.is_nan() != want.is_nan() && bench.oracle.lost.edges.is_empty()
}

/// The distance from 1 to the next number of the least exact type that the program has.
fn unit(bench: &Bench) -> f64 {
    let single = bench.subject.program.symbols.iter().any(|s| s.ty.is_real() && s.ty.bits == 32);
    if single { f64::from(f32::EPSILON) } else { f64::EPSILON }
}

/// Inputs of the original in another arithmetic, along a direction.
fn original<S: Scalar>(bench: &Bench, direction: &Direction, input: &dyn Fn(f64, f64) -> S) -> Option<Inputs<S>> {
    let subject = bench.subject;
    let mut moved: Inputs<S> = Inputs::default();
    for (n, data) in bench.x {
        let independent = subject.independents.iter().copied().find(|&s| subject.program.same_name(subject.name(s), n));
        let seed = independent.and_then(|s| subject.value(&direction.seeds, s));
        let values = data.values.iter().enumerate().map(|(k, v)| match (v, seed) {
            (Value::Real(..) | Value::Int(..), Some(s)) => {
                let slope = s.values.get(k)?.as_scalar().ok()?;
                Some(Value::Real(input(v.as_scalar().ok()?, slope), false))
            }
            _ => Some(check::lift(v)),
        });
        moved.values.insert(n.clone(), Data { shape: data.shape.clone(), values: values.collect::<Option<_>>()? });
    }
    Some(moved)
}

/// Seeds for everything that the head names: zero where nothing else is said.
fn zeros(bench: &Bench, seeds: &Values<f64>) -> Values<f64> {
    let mut out = Values::new();
    for s in bench.subject.named() {
        let data = bench.subject.value(seeds, s).cloned().unwrap_or_else(|| bench.shaped(s, |_| 0.0));
        out.insert(bench.subject.name(s).to_owned(), data);
    }
    out
}

/// What derivatives hold, by the place where they lie: they change under other names too, in units that are called.
#[derive(Default)]
struct Held {
    values: rustc_hash::FxHashMap<Address, f64>,
    places: rustc_hash::FxHashMap<(u32, Name), Address>,
    next: usize,
}

impl Held {
    /// What the events before that number have done.
    fn forward(&mut self, p: &Program, trace: &Trace<f64>, to: usize) {
        for e in trace.events.iter().take(to).skip(self.next) {
            for seen in e.reads.iter().chain(e.writes.iter().map(|w| &w.0)) {
                if let ((n, true), Ok(v)) = (name(p, seen.cell), seen.value.as_scalar()) {
                    self.places.insert((e.frame, n), seen.address);
                    self.values.insert(seen.address, v);
                }
            }
        }
        self.next = self.next.max(to);
    }

    fn get(&self, frame: u32, n: &Name) -> Option<f64> {
        self.places.get(&(frame, n.clone())).and_then(|a| self.values.get(a)).copied()
    }
}

/// The derivatives that a group reads before it sets them, with what they hold. Two names may be one place (`dot(n, x, x)`): what was set under the one is not
/// what comes in under the other.
fn incoming(p: &Program, g: &Group<&Event<f64>>) -> Vec<(Name, f64)> {
    let mut set: FxHashSet<Address> = FxHashSet::default();
    let mut out: Vec<(Name, f64)> = Vec::new();
    for (_, e) in &g.items {
        for s in &e.reads {
            if let ((n, true), Ok(v)) = (name(p, s.cell), s.value.as_scalar())
                && set.insert(s.address)
            {
                out.push((n, v));
            }
        }
        set.extend(e.writes.iter().filter(|w| is_derivative(p, w.0.cell)).map(|w| w.0.address));
    }
    out
}
