//! The reference: values and Jacobian of the original by dual numbers, each entry with the error that rounding may cause.
//!
//! Lives here: directions, the Jacobian, tolerances; where the program is not smooth. Never here: derivative code.

use super::random::Random;
use super::subject::Subject;
use overbar_evaluate::fault::fault;
use overbar_evaluate::{Data, Dual, Edges, Fault, Inputs, Limits, Noisy, Outcome, Scalar, Sides, Value, Values, check, run};
use xaif::Diagnostic;
use xaif::model::SymbolId;

/// What a run says that sets nothing of what is asked for.
pub(super) const UNSET: &str = "no element of a dependent is set at this point";

/// An element of a variable.
pub type Element = (SymbolId, usize);

/// So many columns are taken one by one; of larger Jacobians as many are drawn.
const COLUMNS: usize = 32;
/// As many of Jacobians with more columns than that.
const FEW: usize = 4;
/// See [`FEW`]; with as many numbers fewer comparisons are made of the others, too.
pub(super) const LARGE: usize = 4096;
/// Dense directions.
pub const DENSE: usize = 2;
/// Errors are allowed this many times the drift of the disturbed copies: three copies that all stay below a sixteenth of the true error
/// by chance are rarer than one in ten thousand, as what they are disturbed by is two and a half times the rounding of one operation.
pub const DRIFT: f64 = 16.0;

/// And so many units in the last place: copies that happen to round alike show no drift.
const PLACES: f64 = 64.0;

/// A direction in the space of the independents.
#[derive(Clone, Debug)]
pub struct Direction {
    /// One element alone, if it is.
    pub unit: Option<Element>,
    /// Its components, by variable.
    pub seeds: Values<f64>,
}

/// The reference at a point.
#[derive(Clone, Debug, Default)]
pub struct Oracle {
    /// Directions: single elements first, dense ones last.
    pub directions: Vec<Direction>,
    /// Elements of the dependents that are set.
    pub rows: Vec<Element>,
    /// Derivatives, row by row, a column for each direction.
    pub slopes: Vec<Vec<f64>>,
    /// Their tolerances.
    pub tolerances: Vec<Vec<f64>>,
    /// Values at the end, by variable; undefined where the unit does not set them.
    pub values: Values<f64>,
    /// Tolerances of the values.
    pub noise: Values<f64>,
    /// Where derivatives do not exist.
    pub lost: Lost,
    /// Slopes are differences of values, for want of anything better.
    pub differences: bool,
    /// No value on the way is infinite or no number.
    pub finite: bool,
    /// No value on the way is so large or so small that slopes may be lost.
    pub moderate: bool,
}

/// Derivatives that do not exist by the chain rule, because a slope on the way is infinite or no number.
#[derive(Clone, Debug, Default)]
pub struct Lost {
    /// The statements where that is so.
    pub edges: Vec<Diagnostic>,
    /// For each row whether something of it is lost.
    pub rows: Vec<bool>,
    /// For each direction whether some row does not have its derivative.
    pub columns: Vec<bool>,
}

impl Oracle {
    /// Runs the original once with all directions.
    ///
    /// # Errors
    /// What goes wrong in the run; derivatives that are not finite (OB6061).
    pub fn new(subject: &Subject, x: &Values<f64>, random: &mut Random, limits: &Limits) -> Result<Oracle, Fault> {
        let directions = directions(subject, x, random)?;
        Oracle::along(subject, x, &directions, limits)
    }

    /// The same in given directions.
    ///
    /// # Errors
    /// As [`Oracle::new`].
    pub fn along(subject: &Subject, x: &Values<f64>, directions: &[Direction], limits: &Limits) -> Result<Oracle, Fault> {
        let outcome = run(subject.program, subject.unit, &moved(subject, x, directions)?, limits)?;
        if let Some(stop) = outcome.stopped {
            return Err(Box::new(stop));
        }
        let mut out = Oracle {
            directions: directions.to_vec(),
            rows: Vec::new(),
            slopes: Vec::new(),
            tolerances: Vec::new(),
            values: Values::new(),
            noise: Values::new(),
            lost: Lost::default(),
            differences: false,
            finite: outcome.counters.not_finite == 0,
            moderate: outcome.counters.extreme == 0,
        };
        out.take_values(&outcome);
        if let Some(element) = out.take_slopes(subject, &outcome)? {
            let mut f = fault("OB6061", format!("`{element}` or its derivative is infinite or no number at this point"));
            // The statement where the slope is so, if there is one.
            if let Some(edge) = edges(subject, x, &out.directions, limits).ok().and_then(|o| o.kinks.into_iter().next()) {
                f.location = edge.location;
                f.reason = Some("the slope is infinite or no number here".into());
            }
            return Err(f);
        }
        if out.rows.is_empty() {
            return Err(fault("OB6061", UNSET));
        }
        if out.tolerances.iter().flatten().any(|t| !t.is_finite()) {
            return Err(fault("OB6061", "rounding errors are not bounded at this point"));
        }
        out.lost = lost(subject, x, &out, limits)?;
        Ok(out)
    }

    /// What variables hold in the end, and how far rounding may have moved it.
    fn take_values(&mut self, outcome: &Outcome<Noisy>) {
        let all = outcome.arguments.iter().chain(outcome.globals.iter().filter(|(n, _)| !outcome.arguments.contains_key(*n)));
        for (name, data) in all {
            let plain = |v: &Value<Noisy>| check::lift::<Noisy, f64>(v);
            let noise = |v: &Value<Noisy>| match v {
                Value::Real(x, single) => Value::real(DRIFT * x.spread(None) + 4.0 * epsilon(*single) * x.value().abs()),
                _ => Value::real(0.0),
            };
            self.values.insert(name.clone(), Data { shape: data.shape.clone(), values: data.values.iter().map(plain).collect() });
            self.noise.insert(name.clone(), Data { shape: data.shape.clone(), values: data.values.iter().map(noise).collect() });
        }
    }

    /// The rows of dependents with their slopes and tolerances; or the name of an element that has none.
    fn take_slopes(&mut self, subject: &Subject, outcome: &Outcome<Noisy>) -> Result<Option<String>, Fault> {
        let n = self.directions.len();
        for &s in &subject.dependents {
            let found = subject.value(&outcome.arguments, s).or_else(|| subject.value(&outcome.globals, s));
            let data = found.ok_or_else(|| fault("OB6061", format!("dependent `{}` is not set", subject.name(s))))?;
            for (k, v) in data.values.iter().enumerate() {
                let Value::Real(y, single) = v else { continue };
                let slopes: Vec<f64> = (0..n).map(|c| y.exact.derivative(c)).collect();
                if !y.value().is_finite() || slopes.iter().any(|d| !d.is_finite()) {
                    return Ok(Some(subject.element(s, "", &data.shape, k)));
                }
                let tolerance = |c: usize| DRIFT * y.spread(Some(c)) + PLACES * epsilon(*single) * slopes[c].abs();
                self.rows.push((s, k));
                self.tolerances.push((0..n).map(tolerance).collect());
                self.slopes.push(slopes);
            }
        }
        Ok(None)
    }
}

/// The point as the reference starts from it: independents move along all directions.
fn moved(subject: &Subject, x: &Values<f64>, directions: &[Direction]) -> Result<Inputs<Noisy>, Fault> {
    let mut moved: Inputs<Noisy> = Inputs::default();
    for (name, data) in x {
        let independent = subject.independents.iter().copied().find(|&s| subject.program.same_name(subject.name(s), name));
        // What is only output counts as not set, so that it shows what the unit sets.
        let output = subject
            .dependents
            .iter()
            .copied()
            .find(|&s| subject.program.same_name(subject.name(s), name))
            .is_some_and(|s| !subject.is_read(s));
        let values = data.values.iter().enumerate().map(|(k, v)| match (v, independent) {
            (Value::Real(..) | Value::Int(..), Some(s)) => {
                let d =
                    directions.iter().map(|d| subject.value(&d.seeds, s).and_then(|d| d.values.get(k)?.as_scalar().ok()).unwrap_or(0.0));
                Ok(Value::Real(Noisy::input(Dual::new(v.as_scalar()?, d)), matches!(v, Value::Real(_, true))))
            }
            _ if output => Ok(Value::Undefined),
            _ => Ok(check::lift(v)),
        });
        moved.values.insert(name.clone(), Data { shape: data.shape.clone(), values: values.collect::<Result<_, Fault>>()? });
    }
    Ok(moved)
}

fn epsilon(single: bool) -> f64 {
    if single { f64::from(f32::EPSILON) } else { f64::EPSILON }
}

/// Unit directions of all elements or of some drawn ones, then dense ones.
///
/// # Errors
/// Independents without a value or without elements.
pub fn directions(subject: &Subject, x: &Values<f64>, random: &mut Random) -> Result<Vec<Direction>, Fault> {
    let mut elements: Vec<Element> = Vec::new();
    for &s in &subject.independents {
        let data = subject.value(x, s).ok_or_else(|| fault("OB6050", format!("independent `{}` has no value", subject.name(s))))?;
        elements.extend((0..data.values.len()).map(|k| (s, k)));
    }
    if elements.is_empty() {
        return Err(fault("OB6061", "the independents have no elements at this point"));
    }
    let mut chosen: Vec<Element> = elements.clone();
    let columns = if chosen.len() > LARGE { FEW } else { COLUMNS };
    while chosen.len() > columns {
        let k = random.below(chosen.len());
        chosen.swap_remove(k);
    }
    let mut out = Vec::new();
    for e in chosen {
        let seeds = along(subject, x, |s, k| if (s, k) == e { 1.0 } else { 0.0 });
        out.push(Direction { unit: Some(e), seeds });
    }
    for _ in 0..DENSE {
        let seeds = along(subject, x, |s, k| {
            let at = subject.value(x, s).and_then(|d| d.values.get(k)?.as_scalar().ok()).unwrap_or(0.0);
            random.weight() * magnitude(at)
        });
        out.push(Direction { unit: None, seeds });
    }
    Ok(out)
}

/// The power of two next to a number, 1 for zero: directions move every element in proportion, and stay exact in single precision.
pub(super) fn magnitude(x: f64) -> f64 {
    if x == 0.0 || !x.is_finite() { 1.0 } else { x.abs().log2().round().clamp(-60.0, 60.0).exp2() }
}

/// Seeds of the independents.
pub fn along(subject: &Subject, x: &Values<f64>, mut f: impl FnMut(SymbolId, usize) -> f64) -> Values<f64> {
    let mut out = Values::new();
    for &s in &subject.independents {
        if let Some(data) = subject.value(x, s) {
            let values = (0..data.values.len()).map(|k| Value::real(f(s, k))).collect();
            out.insert(subject.name(s).to_owned(), Data { shape: data.shape.clone(), values });
        }
    }
    out
}

/// The point at a distance along a direction, steps relative to the magnitude of each element.
pub fn displaced(subject: &Subject, x: &Values<f64>, seeds: &Values<f64>, h: f64) -> Values<f64> {
    let mut out = x.clone();
    for &s in &subject.independents {
        let name = subject.name(s);
        let (Some((_, data)), Some(d)) = (out.iter_mut().find(|(n, _)| subject.program.same_name(n, name)), seeds.get(name)) else {
            continue;
        };
        for (v, d) in data.values.iter_mut().zip(&d.values) {
            if let (Ok(x), Ok(d)) = (v.as_scalar(), d.as_scalar()) {
                *v = Value::real(x + h * d);
            }
        }
    }
    out
}

/// The bit of directions that are not taken one by one.
const REST: u64 = 1 << 63;

/// Runs the original and follows where slopes do not exist.
fn edges(subject: &Subject, x: &Values<f64>, directions: &[Direction], limits: &Limits) -> Result<Outcome<Edges>, Fault> {
    let mut moved: Inputs<Edges> = Inputs::default();
    for (name, data) in x {
        let independent = subject.independents.iter().copied().find(|&s| subject.program.same_name(subject.name(s), name));
        let values = data.values.iter().enumerate().map(|(k, v)| match (v, independent) {
            (Value::Real(..) | Value::Int(..), Some(s)) => {
                let bit = directions.iter().position(|d| d.unit == Some((s, k))).map_or(REST, |c| 1 << (c % 62));
                Ok(Value::Real(Edges::input(v.as_scalar()?, bit), matches!(v, Value::Real(_, true))))
            }
            _ => Ok(check::lift(v)),
        });
        moved.values.insert(name.clone(), Data { shape: data.shape.clone(), values: values.collect::<Result<_, Fault>>()? });
    }
    run(subject.program, subject.unit, &moved, limits)
}

fn lost(subject: &Subject, x: &Values<f64>, oracle: &Oracle, limits: &Limits) -> Result<Lost, Fault> {
    // What is so large or so small that squares of it leave the range of numbers may make any derivative infinite or no number.
    if !oracle.moderate {
        let edge = fault("OB6061", "a number on the way is so large or so small that its slope is lost");
        let (rows, columns) = (vec![true; oracle.rows.len()], vec![true; oracle.directions.len()]);
        return Ok(Lost { edges: vec![*edge], rows, columns });
    }
    let outcome = edges(subject, x, &oracle.directions, limits)?;
    if outcome.kinks.is_empty() {
        return Ok(Lost::default());
    }
    let of = |&(s, k): &Element| {
        let data = subject.value(&outcome.arguments, s).or_else(|| subject.value(&outcome.globals, s));
        match data.and_then(|d| d.values.get(k)) {
            Some(Value::Real(e, _)) => e.lost,
            _ => 0,
        }
    };
    let rows: Vec<u64> = oracle.rows.iter().map(of).collect();
    let any = rows.iter().fold(0, |a, b| a | b);
    let column = |(c, d): (usize, &Direction)| if d.unit.is_some() { any & (1 << (c % 62)) != 0 } else { any != 0 };
    let columns = oracle.directions.iter().enumerate().map(column).collect();
    Ok(Lost { edges: outcome.kinks, rows: rows.iter().map(|&r| r != 0).collect(), columns })
}

/// The statements that are not smooth between the points at that distance on both sides.
///
/// # Errors
/// What goes wrong in the run.
pub fn kinks(subject: &Subject, x: &Values<f64>, seeds: &Values<f64>, h: f64, limits: &Limits) -> Result<Vec<Diagnostic>, Fault> {
    let mut moved: Inputs<Sides> = Inputs::default();
    for (name, data) in x {
        let independent = subject.independents.iter().any(|&s| subject.program.same_name(subject.name(s), name));
        let seed = seeds.iter().find(|(n, _)| independent && subject.program.same_name(n, name)).map(|(_, d)| d);
        let values = data.values.iter().enumerate().map(|(k, v)| match (v, seed.and_then(|s| s.values.get(k)?.as_scalar().ok())) {
            (Value::Real(..) | Value::Int(..), Some(d)) => {
                let single = matches!(v, Value::Real(_, true));
                v.as_scalar().map(|x| Value::Real(Sides::variable(x, h * d), single))
            }
            _ => Ok(check::lift(v)),
        });
        moved.values.insert(name.clone(), Data { shape: data.shape.clone(), values: values.collect::<Result<_, Fault>>()? });
    }
    let outcome = run(subject.program, subject.unit, &moved, limits)?;
    let mut found = outcome.kinks;
    let bent = |s: SymbolId| {
        let data = subject.value(&outcome.arguments, s).or_else(|| subject.value(&outcome.globals, s));
        data.is_none_or(|d| d.values.iter().any(|v| matches!(v, Value::Real(x, _) if x.is_bent())))
    };
    if subject.dependents.iter().any(|&s| bent(s)) {
        found.extend(outcome.bends.into_iter().filter(|d| !found.contains(d)).collect::<Vec<_>>());
    }
    Ok(found)
}
