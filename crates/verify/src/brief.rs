//! The brief check: one run of the tangent and one of the adjoint, held against the linear model of the original along one dense direction and for one dense
//! set of weights, component by component.
//!
//! Its cost does not depend on the number of inputs. Tolerances are generous in proportion to what is added up, and tight beside any mistake; whatever is
//! beyond them is looked at again with rigorous ones. Lives here: the runs and their comparison. Never here: verdicts, points.

use super::checks::{Bench, Check, Tally};
use super::engine::{Engine, State};
use super::oracle::{Direction, Element, Oracle, along, magnitude};
use super::random::Random;
use super::slopes::{Slopes, Sum};
use super::subject::Subject;
use overbar_evaluate::{Data, Fault, Limits, Value, Values};
use std::collections::BTreeMap;
use xaif::model::{Mode, SymbolId};

/// Components that are looked at again are no more than this, those farthest beyond their tolerances.
const AGAIN: usize = 8;
/// What may be lost of a number in units of its last place.
const PLACES: f64 = 1024.0;
/// What may be lost of the sum of the magnitudes on the way to it.
const SUMMED: f64 = 64.0;
/// Magnitudes are no excuse beyond this many times the largest result: cancellation to that degree is looked at again.
const EXCUSE: f64 = 1048576.0;

/// What the derivative code gave.
pub struct Runs {
    direction: Direction,
    tangent: Option<State>,
    weights: Vec<f64>,
    seeds: Values<f64>,
    adjoint: Option<State>,
}

/// What it should have given, each number with its tolerance.
struct Wanted {
    along: Vec<(f64, f64)>,
    gradient: Vec<(Element, f64, f64)>,
}

/// What came of a comparison.
pub struct Compared {
    /// The comparisons.
    pub checks: Vec<Check>,
    /// Components of the gradient that are beyond their tolerances, the farthest first.
    pub suspects: Vec<Element>,
}

impl Compared {
    /// Nothing was beyond its tolerance.
    pub fn passed(&self) -> bool {
        self.checks.iter().all(|c| c.passed)
    }
}

/// A dense direction.
pub fn direction(subject: &Subject, x: &Values<f64>, random: &mut Random) -> Direction {
    let seeds = along(subject, x, |s, k| random.weight() * magnitude(number(subject, x, (s, k))));
    Direction { unit: None, seeds }
}

fn number(subject: &Subject, values: &Values<f64>, (s, k): Element) -> f64 {
    subject.value(values, s).and_then(|d| d.values.get(k)?.as_scalar().ok()).unwrap_or(0.0)
}

/// Runs what there is of tangent and adjoint.
///
/// # Errors
/// What goes wrong in a run.
pub fn runs(bench: &Bench, slopes: &Slopes, direction: Direction, engine: &mut dyn Engine, random: &mut Random) -> Result<Runs, Fault> {
    let (subject, stock) = (bench.subject, bench.stock);
    let mut tangent = None;
    if engine.has(Mode::Tangent) {
        let mut seeds = Values::new();
        for s in subject.named() {
            let data = match subject.value(&direction.seeds, s) {
                Some(d) => d.clone(),
                // What the tangent must overwrite may hold anything before.
                None if subject.forgets(s) && !stock => bench.shaped(s, |_| random.weight()),
                None => bench.shaped(s, |_| 0.0),
            };
            seeds.insert(subject.name(s).to_owned(), data);
        }
        tangent = Some(engine.tangent(bench.x, &seeds)?);
    }
    let mut out = Runs { direction, tangent, weights: Vec::new(), seeds: Values::new(), adjoint: None };
    if engine.has(Mode::Adjoint) {
        out.weights = slopes.rows.iter().map(|&(_, y)| random.weight() / magnitude(y)).collect();
        let by_row: BTreeMap<Element, f64> = slopes.rows.iter().map(|r| r.0).zip(out.weights.iter().copied()).collect();
        for s in subject.named() {
            let weight = |e: Element| by_row.get(&e).copied().unwrap_or(0.0);
            let data = if subject.is_dependent(s) {
                weighted(bench, s, &weight)
            } else if stock {
                bench.shaped(s, |_| 0.0)
            } else {
                // Something to be incremented.
                bench.shaped(s, |_| random.weight())
            };
            out.seeds.insert(subject.name(s).to_owned(), data);
        }
        out.adjoint = Some(engine.adjoint(bench.x, &out.seeds)?);
    }
    Ok(out)
}

/// Weights with the extents that the variable has at the end.
fn weighted(bench: &Bench, s: SymbolId, weight: &dyn Fn(Element) -> f64) -> Data<f64> {
    match bench.subject.value(&bench.oracle.values, s) {
        Some(d) => Data { shape: d.shape.clone(), values: (0..d.values.len()).map(|k| Value::real(weight((s, k)))).collect() },
        None => bench.shaped(s, |k| weight((s, k))),
    }
}

/// The unit roundoff of the coarsest arithmetic of a run.
fn unit(slopes: &Slopes) -> f64 {
    if slopes.single { f64::from(f32::EPSILON) } else { f64::EPSILON }
}

/// What stands for the reference in comparisons of values and promises.
pub fn values(slopes: &Slopes) -> Oracle {
    let unit = unit(slopes);
    let noise = |d: &Data<f64>| {
        let largest = d.values.iter().filter_map(|v| v.as_scalar().ok()).fold(0.0, |m: f64, v| m.max(v.abs()));
        let one = |v: &Value<f64>| Value::real(unit * (PLACES * v.as_scalar().map_or(0.0, f64::abs) + largest));
        Data { shape: d.shape.clone(), values: d.values.iter().map(one).collect() }
    };
    let noise = slopes.values.iter().map(|(n, d)| (n.clone(), noise(d))).collect();
    let rows = slopes.rows.iter().map(|r| r.0).collect();
    Oracle { rows, values: slopes.values.clone(), noise, ..Oracle::default() }
}

/// Holds the runs against the linear model. The bench has what [`values`] gives.
pub fn compare(bench: &Bench, slopes: &Slopes, runs: &Runs, engine: &'static str) -> Compared {
    let unit = unit(slopes);
    let tolerated = |list: &[Sum]| -> Vec<(f64, f64)> {
        let largest = list.iter().fold(0.0, |m: f64, s| m.max(s.value.abs()));
        let one = |s: &Sum| (s.value, unit * (PLACES * s.value.abs() + SUMMED * s.scale.min(EXCUSE * largest)));
        list.iter().map(one).collect()
    };
    let along =
        if runs.tangent.is_some() { tolerated(&slopes.along(&|e| number(bench.subject, &runs.direction.seeds, e))) } else { Vec::new() };
    let gradient = if runs.adjoint.is_some() { tolerated(&slopes.gradient(&runs.weights)) } else { Vec::new() };
    let gradient = slopes.inputs.iter().zip(gradient).map(|(&(e, _), (want, t))| (e, want, t)).collect();
    hold(bench, runs, &Wanted { along, gradient }, engine)
}

/// Holds them against dual numbers with rigorous tolerances: the direction, and the components that are suspected.
///
/// # Errors
/// What goes wrong in the run of the original.
pub fn compare_again(bench: &Bench, runs: &Runs, suspects: &[Element], engine: &'static str, limits: &Limits) -> Result<Compared, Fault> {
    let subject = bench.subject;
    let mut directions: Vec<Direction> = Vec::new();
    for &e in suspects.iter().take(AGAIN) {
        let seeds = along(subject, bench.x, |s, k| if (s, k) == e { 1.0 } else { 0.0 });
        directions.push(Direction { unit: Some(e), seeds });
    }
    directions.push(runs.direction.clone());
    let oracle = Oracle::along(subject, bench.x, &directions, limits)?;
    let last = directions.len() - 1;
    let along = oracle.slopes.iter().zip(&oracle.tolerances).map(|(s, t)| (s[last], t[last])).collect();
    let weighted = |(c, d): (usize, &Direction)| {
        let e = d.unit?;
        let terms = runs.weights.iter().zip(oracle.slopes.iter().zip(&oracle.tolerances));
        let (sum, tolerance) = terms.fold((0.0, 0.0), |(a, b), (w, (s, t))| (a + w * s[c], b + w.abs() * t[c]));
        Some((e, sum, tolerance + 8.0 * subject.epsilon(e.0) * sum.abs()))
    };
    let gradient = directions.iter().enumerate().filter_map(weighted).collect();
    Ok(hold(&Bench { oracle: &oracle, ..*bench }, runs, &Wanted { along, gradient }, engine))
}

/// All comparisons.
fn hold(bench: &Bench, runs: &Runs, wanted: &Wanted, engine: &'static str) -> Compared {
    let subject = bench.subject;
    let mut out = Compared { checks: Vec::new(), suspects: Vec::new() };
    let mut suspects: Vec<(f64, Element)> = Vec::new();
    let lost = |list: &[bool], i: usize| list.get(i).copied().unwrap_or(false);
    if let Some(state) = &runs.tangent {
        let mut slopes = Tally::new("tangent against dual numbers", engine);
        for (i, (&row, &(want, tolerance))) in bench.oracle.rows.iter().zip(&wanted.along).enumerate() {
            let got = bench.at(&state.derivatives, row);
            slopes.derivative(|| bench.label(row, "d"), got, want, tolerance, lost(&bench.oracle.lost.rows, i));
        }
        let mut values = Tally::new("values from the tangent", engine);
        bench.compare_values(&mut values, state, &bench.oracle.values);
        out.checks.extend([slopes.done(), values.done()]);
    }
    if let Some(state) = &runs.adjoint {
        let mut slopes = Tally::new("adjoint against dual numbers", engine);
        for (c, &(e, want, tolerance)) in wanted.gradient.iter().enumerate() {
            let before = if subject.is_dependent(e.0) || bench.zero_init { 0.0 } else { bench.at(&runs.seeds, e) };
            let tolerance = tolerance + 8.0 * subject.epsilon(e.0) * (before.abs() + want.abs());
            let mut one = Tally::new("adjoint against dual numbers", engine);
            let undefined = lost(&bench.oracle.lost.columns, c);
            one.derivative(|| bench.label(e, "b"), bench.at(&state.derivatives, e), before + want, tolerance, undefined);
            let one = one.done();
            if !one.passed {
                suspects.push((one.worst, e));
            }
            slopes.join(one);
        }
        out.checks.push(slopes.done());
        if bench.with_values {
            let mut values = Tally::new("values from the adjoint", engine);
            bench.compare_values(&mut values, state, &bench.oracle.values);
            out.checks.push(values.done());
        }
        let mut left = Tally::new("empty stack", engine);
        left.hold(|| format!("{} are left on the stack", state.left), state.left == 0);
        out.checks.push(left.done());
        if !bench.stock {
            let (mut consumed, mut kept) = (Tally::new("consumed adjoints", engine), Tally::new("inputs kept by the adjoint", engine));
            bench.promises(state, &runs.weights, &mut consumed, &mut kept);
            out.checks.extend([consumed.done(), kept.done()]);
        }
    }
    suspects.sort_by(|a, b| b.0.total_cmp(&a.0));
    out.suspects = suspects.into_iter().map(|s| s.1).collect();
    out
}
