//! Which statement is to blame: the first whose local derivative is wrong, in the order in which derivatives are propagated.
//!
//! Original and derivative unit run side by side in the interpreter, and their records are compared statement by statement: derivatives of what each
//! statement sets with those of the tangent, and adjoints at each boundary between statements, which the tape of the original gives, with those of
//! the reverse sweep. As long as everything agreed up to a statement and no longer behind it, that statement's own derivative is wrong, through however
//! many calls, blocks and passes of loops it was reached. Statements of derivative code are those that carry the place of the original. Never
//! here: verdicts.

use super::certificate::Place;
use super::checks::Bench;
use super::engine::{Map, inputs};
use super::oracle::{DRIFT, Direction};
use crate::evaluate::taped::Tape;
use crate::evaluate::trace::{Address, Cell, Event, Trace, traced};
use crate::evaluate::{Data, Dual, Inputs, Limits, Noisy, Scalar, Taped, Value, Values, check};
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::rc::Rc;
use xaif::Program;
use xaif::model::Span;

/// A variable's element by name.
type Name = (String, i64);

/// Consecutive executions of one statement in one activation.
struct Group<T> {
    frame: u32,
    span: Span,
    text: String,
    /// With their numbers in the record.
    items: Vec<(usize, T)>,
}

/// A statement's place: spans where they are known, else lines.
fn key<S>(e: &Event<S>) -> Option<(Span, u32)> {
    (e.span.is_known() || e.line > 0).then_some((e.span, if e.span.is_known() { 0 } else { e.line }))
}

fn groups<'t, S>(trace: &'t Trace<S>, wanted: &FxHashSet<(Span, u32)>) -> Vec<Group<&'t Event<S>>> {
    let mut out: Vec<Group<&Event<S>>> = Vec::new();
    for (k, e) in trace.events.iter().enumerate() {
        if !key(e).is_some_and(|k| wanted.contains(&k)) {
            continue;
        }
        match out.last_mut() {
            Some(g) if g.frame == e.frame && g.items.first().is_some_and(|f| key(f.1) == key(e)) => g.items.push((k, e)),
            _ => out.push(Group { frame: e.frame, span: e.span, text: e.text.to_string(), items: vec![(k, e)] }),
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
fn differentiated<S>(p: &Program, trace: &Trace<S>) -> FxHashSet<(Span, u32)> {
    trace.events.iter().filter(|e| e.writes.iter().any(|w| is_derivative(p, w.0.cell))).filter_map(key).collect()
}

fn place(bench: &Bench, trace_frames: &[xaif::model::UnitId], span: Span, text: &str, message: String) -> Place {
    let p = bench.subject.program;
    let location = p.location(span);
    let statement = if text.is_empty() { location.as_ref().map_or_else(String::new, |l| super::line_of(p, l)) } else { text.to_owned() };
    Place { location, units: trace_frames.iter().map(|&u| p.unit_name(u).to_owned()).collect(), statement, message }
}

/// The first statement whose tangent is wrong, in a dense direction.
pub fn tangent(bench: &Bench, boosted: &Program, map: &Map, limits: &Limits) -> Option<Place> {
    let direction = bench.oracle.directions.iter().find(|d| d.unit.is_none())?;
    let moved = original(bench, direction, &|x, d| Noisy::input(Dual::new(x, [d])))?;
    let (_, reference) = traced(bench.subject.program, bench.subject.unit, &moved, limits).ok()?;
    let given = inputs(bench.subject, map, bench.x, &zeros(bench, &direction.seeds));
    let (_, ours) = traced::<f64>(boosted, map.unit, &given, limits).ok()?;
    let wanted = differentiated(boosted, &ours);
    let expected = groups(&reference, &wanted);
    let mut from = 0;
    for g in groups(&ours, &wanted) {
        let (mut slopes, mut values): (IndexMap<Name, f64>, IndexMap<Name, f64>) = (IndexMap::new(), IndexMap::new());
        for (seen, _) in g.items.iter().flat_map(|(_, e)| &e.writes) {
            let (n, derivative) = name(boosted, seen.cell);
            if let Ok(v) = seen.value.as_scalar() {
                if derivative {
                    slopes.insert(n, v)
                } else {
                    values.insert(n, v)
                };
            }
        }
        let matching = |e: &Group<&Event<Noisy>>| {
            let same = |(n, v): (&Name, &f64)| {
                last(bench, e, n).is_none_or(|x: Noisy| (x.value() - v).abs() <= 1e-6 * (1.0 + v.abs()) || v.is_nan())
            };
            e.items.first().map(|f| key(f.1)) == g.items.first().map(|f| key(f.1)) && values.iter().all(same)
        };
        let Some(at) = expected.iter().skip(from).position(matching).map(|k| k + from) else { continue };
        from = at + 1;
        let e = &expected[at];
        for (n, got) in &slopes {
            let Some(x) = last(bench, e, n) else { continue };
            let want = x.exact.derivative(0);
            let tolerance = DRIFT * x.spread(Some(0)) + 16.0 * unit(bench) * want.abs();
            if (got - want).abs() > tolerance || unlike(bench, *got, want) {
                let message = format!("the tangent of `{}` is {got:.10e} behind this statement, should be {want:.10e}", n.0);
                return Some(place(bench, &reference.callers(e.frame), e.span, &e.text, message));
            }
        }
    }
    None
}

/// One is a number and the other is not; where some derivatives do not exist, that says nothing.
fn unlike(bench: &Bench, got: f64, want: f64) -> bool {
    got.is_nan() != want.is_nan() && bench.oracle.lost.edges.is_empty()
}

/// What an element holds behind a group.
fn last(bench: &Bench, g: &Group<&Event<Noisy>>, n: &Name) -> Option<Noisy> {
    let all = g.items.iter().rev().flat_map(|e| e.1.writes.iter().rev());
    all.filter(|w| name(bench.subject.program, w.0.cell).0 == *n).find_map(|w| match &w.0.value {
        Value::Real(x, _) => Some(x.clone()),
        _ => None,
    })
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

/// The first statement, in the order of the reverse sweep, whose adjoint is wrong, for one dense weight.
pub fn adjoint(bench: &Bench, boosted: &Program, map: &Map, limits: &Limits) -> Option<Place> {
    let subject = bench.subject;
    let direction = bench.oracle.directions.iter().find(|d| d.unit.is_none())?;
    let tape: Rc<RefCell<Tape>> = Rc::default();
    let moved = original(bench, direction, &|x, _| Taped::input(x, &tape))?;
    let (outcome, reference) = traced(subject.program, subject.unit, &moved, limits).ok()?;
    // Weights as different as the rows, and the adjoints with which the reverse sweep starts.
    let weight = |k: usize| 1.0 + 0.37 * (k % 7) as f64;
    let tape = tape.take();
    let (mut bars, mut sizes) = (vec![0.0; tape.len()], vec![0.0; tape.len()]);
    let mut seeds = Values::new();
    for &s in &subject.dependents {
        let data = subject.value(&outcome.arguments, s).or_else(|| subject.value(&outcome.globals, s))?;
        for (k, v) in data.values.iter().enumerate() {
            if let Value::Real(Taped { node: Some(n), .. }, _) = v {
                bars[*n as usize] += weight(k);
                sizes[*n as usize] += weight(k);
            }
        }
        let list = data.values.iter().enumerate().map(|(k, _)| Value::real(weight(k))).collect();
        seeds.insert(subject.name(s).to_owned(), Data { shape: data.shape.clone(), values: list });
    }
    let given = inputs(subject, map, bench.x, &zeros(bench, &seeds));
    let (_, ours) = traced::<f64>(boosted, map.unit, &given, limits).ok()?;
    if ours.incomplete || reference.incomplete {
        return None;
    }
    let wanted = differentiated(boosted, &ours);
    let expected = groups(&reference, &wanted);
    // The first node of each group: everything from there on is undone when its adjoint is complete.
    let starts = boundaries(&reference, &wanted);
    // Errors of single operations add up like steps of a random walk, times the magnitudes that were added.
    let rounding = unit(bench) * (16.0 + 4.0 * (tape.len() as f64).sqrt());
    // What derivatives hold, by the place where they lie: they change under other names too, in units that are called.
    let mut known: FxHashMap<Address, f64> = FxHashMap::default();
    let mut places: FxHashMap<(u32, Name), Address> = FxHashMap::default();
    let mut next = 0;
    let mut done = tape.len();
    let mut from = expected.len();
    for g in groups(&ours, &wanted) {
        let last = g.items.last().map_or(0, |i| i.0);
        for e in ours.events.iter().take(last + 1).skip(next) {
            for seen in e.reads.iter().chain(e.writes.iter().map(|w| &w.0)) {
                let (n, derivative) = name(boosted, seen.cell);
                if let (true, Ok(v)) = (derivative, seen.value.as_scalar()) {
                    places.insert((e.frame, n), seen.address);
                    known.insert(seen.address, v);
                }
            }
        }
        next = last + 1;
        let mut touched: FxHashSet<Name> = FxHashSet::default();
        let mut written = false;
        for (_, e) in &g.items {
            written |= e.writes.iter().any(|w| is_derivative(boosted, w.0.cell));
            let all = e.reads.iter().chain(e.writes.iter().map(|w| &w.0)).map(|s| name(boosted, s.cell));
            touched.extend(all.filter(|n| n.1).map(|n| n.0));
        }
        // Copies of the statement in the forward sweep set no adjoints.
        if !written {
            continue;
        }
        // The adjoint of a statement has to do with what the statement reads and sets, and nothing else.
        let same = |e: &Group<&Event<Taped>>| {
            let of = |e: &Event<Taped>| -> Vec<Name> {
                e.reads.iter().chain(e.writes.iter().map(|w| &w.0)).map(|s| name(subject.program, s.cell).0).collect()
            };
            let there: FxHashSet<Name> = e.items.iter().flat_map(|i| of(i.1)).collect();
            e.items.first().map(|f| key(f.1)) == g.items.first().map(|f| key(f.1)) && touched.iter().all(|n| there.contains(n))
        };
        let Some(at) = expected[..from].iter().rposition(same) else {
            continue;
        };
        from = at;
        let start = starts.get(at).copied().unwrap_or(0);
        for k in (start..done).rev() {
            let (bar, size) = (bars[k], sizes[k]);
            for &(o, slope) in &tape[k] {
                if bar != 0.0 || size != 0.0 {
                    bars[o as usize] += slope * bar;
                    sizes[o as usize] += (slope * size).abs();
                }
            }
        }
        done = done.min(start);
        let e = &expected[at];
        for (cell, node) in alive(e) {
            let (n, _) = name(subject.program, cell);
            let Some(&got) = places.get(&(g.frame, n.clone())).and_then(|a| known.get(a)) else { continue };
            let (want, size) = (bars[node as usize], sizes[node as usize]);
            // What nobody reads any more may hold anything.
            if size == 0.0 {
                continue;
            }
            if (got - want).abs() > rounding * size || unlike(bench, got, want) {
                let message = format!("the adjoint of `{}` is {got:.10e} before this statement, should be {want:.10e}", n.0);
                return Some(place(bench, &reference.callers(e.frame), e.span, &e.text, message));
            }
        }
    }
    None
}

/// The number of nodes on the tape before each group.
fn boundaries(trace: &Trace<Taped>, wanted: &FxHashSet<(Span, u32)>) -> Vec<usize> {
    let mut out = Vec::new();
    let mut nodes = 0;
    let mut current: Option<(u32, (Span, u32))> = None;
    for e in &trace.events {
        if let Some(k) = key(e).filter(|k| wanted.contains(k))
            && current != Some((e.frame, k))
        {
            current = Some((e.frame, k));
            out.push(nodes);
        }
        for seen in e.reads.iter().chain(e.writes.iter().map(|w| &w.0)) {
            if let Value::Real(Taped { node: Some(n), .. }, _) = &seen.value {
                nodes = nodes.max(*n as usize + 1);
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
                && let Value::Real(Taped { node: Some(n), .. }, _) = v
            {
                out.push((c, *n));
            }
        }
    }
    out
}
