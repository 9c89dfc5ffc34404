//! The first statement whose tangent is wrong: both programs forward in lockstep.
//!
//! Lives here: derivatives of what statements read and set, compared. Never here: adjoints.

use super::{Group, Held, Name, Reference, differentiated, groups, incoming, name, original, unit, unlike, zeros};
use crate::evaluate::trace::{Event, followed, traced};
use crate::evaluate::{Dual, Limits, Noisy, Outcome, Scalar, Value};
use crate::transform::signature::Role;
use crate::verify::certificate::Place;
use crate::verify::checks::Bench;
use crate::verify::engine::{Map, inputs};
use crate::verify::oracle::DRIFT;
use indexmap::IndexMap;
use xaif::Program;

/// The first statement whose tangent is wrong, in a dense direction.
pub fn tangent(bench: &Bench, boosted: &Program, map: &Map, limits: &Limits) -> Option<Place> {
    let direction = bench.oracle.directions.iter().find(|d| d.unit.is_none())?;
    let moved = original(bench, direction, &|x, d| Noisy::input(Dual::new(x, [d])))?;
    let (outcome, reference) = traced(bench.subject.program, bench.subject.unit, &moved, limits).ok()?;
    let given = inputs(bench.subject, map, bench.x, &zeros(bench, &direction.seeds));
    let (ran, ours) = followed::<f64>(boosted, map.unit, &given, limits);
    let wanted = differentiated(boosted, &ours);
    let expected = groups(&reference, &wanted);
    let mut s = Side { r: Reference::new(bench, &reference), right: vec![false; reference.events.len()] };
    let mut held = Held::default();
    let mut from = 0;
    for g in groups(&ours, &wanted) {
        held.forward(boosted, &ours, g.last() + 1);
        let (slopes, values) = set(boosted, &g);
        let matching = |e: &Group<&Event<Noisy>>| {
            let same =
                |(n, v): (&Name, &f64)| last(bench, e, n).is_none_or(|x| (x.value() - v).abs() <= 1e-6 * (1.0 + v.abs()) || v.is_nan());
            e.key == g.key && values.iter().all(same)
        };
        let Some(at) = expected.iter().skip(from).position(matching).map(|k| k + from) else { continue };
        from = at + 1;
        let e = &expected[at];
        e.items.iter().for_each(|i| s.r.matched[i.0] = true);
        if let Some(place) = s.before(&incoming(boosted, &g), e, &held, g.frame).or_else(|| s.behind(&slopes, e)) {
            return Some(place);
        }
        e.items.iter().for_each(|i| s.right[i.0] = true);
    }
    let next = expected.get(from).map_or(reference.events.len(), Group::first);
    match ran {
        Err(f) => s.stopped(&f, next, &held).or_else(|| s.r.ended(&f, (next > 0).then(|| next - 1))),
        Ok(out) => s.at_the_end(&outcome, &out, map),
    }
}

/// Derivatives and values that a group sets.
fn set(p: &Program, g: &Group<&Event<f64>>) -> (IndexMap<Name, f64>, IndexMap<Name, f64>) {
    let (mut slopes, mut values): (IndexMap<Name, f64>, IndexMap<Name, f64>) = (IndexMap::new(), IndexMap::new());
    for (seen, _) in g.items.iter().flat_map(|(_, e)| &e.writes) {
        let (n, derivative) = name(p, seen.cell);
        if let Ok(v) = seen.value.as_scalar() {
            if derivative {
                slopes.insert(n, v)
            } else {
                values.insert(n, v)
            };
        }
    }
    (slopes, values)
}

struct Side<'a> {
    r: Reference<'a, Noisy>,
    /// Events whose derivatives were found right.
    right: Vec<bool>,
}

impl Side<'_> {
    fn differs(&self, got: f64, x: &Noisy) -> bool {
        let want = x.exact.derivative(0);
        let tolerance = DRIFT * x.spread(Some(0)) + 16.0 * unit(self.r.bench) * want.abs();
        (got - want).abs() > tolerance || unlike(self.r.bench, got, want)
    }

    /// What is wrong with what a statement reads: the last one to set it has no right derivative, or a call hands over another.
    fn before(&self, read: &[(Name, f64)], e: &Group<&Event<Noisy>>, held: &Held, frame: u32) -> Option<Place> {
        let p = self.r.bench.subject.program;
        for (n, got) in read {
            let seen = e.items.iter().flat_map(|i| &i.1.reads).find(|s| name(p, s.cell).0 == *n);
            let Some((seen, x)) = seen.and_then(|s| if let Value::Real(x, _) = &s.value { Some((s, x)) } else { None }) else { continue };
            if !self.differs(*got, x) {
                continue;
            }
            let want = x.exact.derivative(0);
            let writer = (0..e.first()).rev().find(|&k| self.r.writes(k, seen.address));
            if let Some(k) = writer.filter(|&k| !self.right[k]) {
                return self.r.blame(k, format!("the tangent of `{}` is {got:.10e} behind this statement, should be {want:.10e}", n.0));
            }
            let new = held.places.keys().filter(|(f, _)| *f == frame).count() > 0;
            let message = format!("the tangent of `{}` is {got:.10e} before this statement, should be {want:.10e}", n.0);
            let entered = writer.is_none_or(|k| self.r.trace.events[k].frame != e.frame);
            if new && entered && self.r.is_formal(e.frame, n) && self.r.trace.frames.get(e.frame as usize).is_some_and(|f| f.1.is_some()) {
                return self.r.call(e.frame, message);
            }
            return Some(self.r.place(e.frame, e.items[0].1.span, &e.items[0].1.text, message));
        }
        None
    }

    /// What is wrong with what a statement sets.
    fn behind(&self, slopes: &IndexMap<Name, f64>, e: &Group<&Event<Noisy>>) -> Option<Place> {
        let at = |message| Some(self.r.place(e.frame, e.items[0].1.span, &e.items[0].1.text, message));
        let p = self.r.bench.subject.program;
        for (n, got) in slopes {
            let Some(x) = last(self.r.bench, e, n) else {
                let own = e.items.iter().flat_map(|i| &i.1.writes).any(|w| name(p, w.0.cell).0.0 == n.0);
                if own {
                    return at(format!("the tangent of element {} of `{}` is set, which is another one", n.1, n.0));
                }
                continue;
            };
            if self.differs(*got, &x) {
                let want = x.exact.derivative(0);
                return at(format!("the tangent of `{}` is {got:.10e} behind this statement, should be {want:.10e}", n.0));
            }
        }
        None
    }

    /// A run that ended before this event: what the statement where it ended needs and nobody has set.
    fn stopped(&self, f: &crate::evaluate::Fault, from: usize, held: &Held) -> Option<Place> {
        let p = self.r.bench.subject.program;
        let there = |k: &usize| f.location.is_some() && p.location(self.r.trace.events[*k].span) == f.location;
        let k = (from.saturating_sub(1)..self.r.trace.events.len()).find(there).or_else(|| (0..from).rev().find(there))?;
        for s in &self.r.trace.events[k].reads {
            let Value::Real(x, _) = &s.value else { continue };
            let writer = (0..k).rev().find(|&w| self.r.writes(w, s.address)).filter(|&w| !self.right[w]);
            let n = name(p, s.cell).0;
            let set = held.places.iter().any(|((_, m), _)| *m == n);
            if let Some(w) = writer.filter(|_| !set && x.exact.derivative(0) != 0.0) {
                return self.r.blame(w, format!("the tangent of `{}` is not set behind this statement", n.0));
            }
        }
        None
    }

    /// What is wrong at the end without any statement that was: the last one to set it that was not compared.
    fn at_the_end(&self, outcome: &Outcome<Noisy>, out: &Outcome<f64>, map: &Map) -> Option<Place> {
        let subject = self.r.bench.subject;
        let formals = &subject.program.unit(subject.unit).formals;
        let role = |s| map.roles.iter().find(|(_, r)| matches!(r, Role::Derivative(k) if formals[*k].symbol == s)).map(|r| &r.0);
        let global = |s| map.globals.iter().find(|g| subject.program.same_name(&g.0, subject.name(s))).map(|g| &g.1);
        for &s in &subject.dependents {
            let got = role(s).and_then(|n| out.arguments.get(n)).or_else(|| global(s).and_then(|n| out.globals.get(n)));
            let want = subject.value(&outcome.arguments, s).or_else(|| subject.value(&outcome.globals, s));
            let (Some(got), Some(want)) = (got, want) else { continue };
            for (k, (g, w)) in got.values.iter().zip(&want.values).enumerate() {
                let (Ok(g), Value::Real(x, _)) = (g.as_scalar(), w) else { continue };
                if map.directions.is_some() || !self.differs(g, x) {
                    continue;
                }
                let n = (key_name(subject.name(s), subject.program), k as i64);
                let place = self.r.address(0, &n);
                let active = |e: usize| self.r.trace.events[e].writes.iter().any(|w| slope(&w.0.value) != 0.0);
                let free = |e: &usize| !self.right[*e] && active(*e);
                let all = 0..self.r.trace.events.len();
                let own = all.clone().rev().find(|&e| place.is_some_and(|a| self.r.writes(e, a)));
                let e = own.filter(|e| !self.right[*e]).or_else(|| all.rev().find(free)).or(own)?;
                let want = x.exact.derivative(0);
                return self.r.blame(e, format!("the tangent of `{}` is {g:.10e} in the end, should be {want:.10e}", n.0));
            }
        }
        None
    }
}

fn key_name(n: &str, p: &Program) -> String {
    if p.case_insensitive { n.to_lowercase() } else { n.to_owned() }
}

fn slope(v: &Value<Noisy>) -> f64 {
    if let Value::Real(x, _) = v { x.exact.derivative(0) } else { 0.0 }
}

/// What an element holds behind a group.
fn last(bench: &Bench, g: &Group<&Event<Noisy>>, n: &Name) -> Option<Noisy> {
    let all = g.items.iter().rev().flat_map(|e| e.1.writes.iter().rev());
    all.filter(|w| name(bench.subject.program, w.0.cell).0 == *n).find_map(|w| match &w.0.value {
        Value::Real(x, _) => Some(x.clone()),
        _ => None,
    })
}
