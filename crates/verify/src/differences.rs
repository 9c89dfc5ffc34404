//! A reference where the interpreter has none: differences of the compiled original, for programs parts of which the model keeps as text alone.
//!
//! Central differences with steps that are halved, extrapolated (Ridders, *Accurate computation of F'(x) and F'(x) F''(x)*, Adv. Eng. Software 4,
//! 1982): where the extrapolations agree they are the derivative, and their disagreement is the tolerance; where they do not, the point will not do.
//! Lives here: points and differences. Never here: derivative code.

use super::draw;
use super::engine::Engine;
use super::hints::{Hints, units};
use super::oracle::{Direction, Lost, Oracle, directions, displaced};
use super::random::Random;
use super::subject::Subject;
use overbar_evaluate::fault::fault;
use overbar_evaluate::{Data, Fault, Value, Values};
use xaif::model::{MarkerClass, StmtKind};

/// Points that are drawn before it is given up.
const ATTEMPTS: usize = 12;
/// The first step, relative to the magnitude of each element.
const FIRST: f64 = 1.0 / 64.0;
/// Halvings of the step.
const LEVELS: usize = 6;
/// Extrapolations that differ by more than this, relative to the largest derivative, say nothing.
const AGREE: f64 = 1e-5;

/// Whether the program has parts that only a compiler understands: statements kept as text that set something, units that are not there.
pub fn needed(subject: &Subject) -> bool {
    let program = subject.program;
    units(subject).into_iter().any(|u| {
        program.unit(u).graph.node_weights().flat_map(|v| v.stmts()).any(|s| match &s.kind {
            StmtKind::Marker(m) => {
                let odd = [MarkerClass::Unknown, MarkerClass::Call, MarkerClass::Passive, MarkerClass::Io, MarkerClass::Terminal]
                    .contains(&m.class);
                odd && !m.writes.is_empty()
            }
            StmtKind::Call(c) => program.unit_of_symbol(c.callee).is_none(),
            _ => false,
        })
    })
}

/// Points for engines that have to be built before anything is known: shapes are what matters.
///
/// # Errors
/// Arguments for which nothing can be drawn.
pub fn drawn(subject: &Subject, random: &mut Random) -> Result<Vec<Values<f64>>, Fault> {
    let hints = Hints::of(subject);
    let first = draw::draw(subject, &hints, random, 0, 0, false)?;
    let mut out = vec![first];
    for attempt in 1..ATTEMPTS {
        out.extend(draw::draw(subject, &hints, random, attempt, 0, false).ok());
    }
    Ok(out)
}

/// The reference at a point by differences.
///
/// # Errors
/// What goes wrong in a run; a point where differences do not tell the derivative.
pub fn oracle(subject: &Subject, engine: &mut dyn Engine, x: &Values<f64>, random: &mut Random) -> Result<Oracle, Fault> {
    let directions = directions(subject, x, random)?;
    let at = engine.primal(x)?.values;
    let element = |v: &Values<f64>, s, k: usize| subject.value(v, s).and_then(|d| d.values.get(k)?.as_scalar().ok()).unwrap_or(f64::NAN);
    let mut rows = Vec::new();
    for &s in &subject.dependents {
        let n = subject.value(&at, s).map_or(0, |d| d.values.len());
        // What is only output and holds what it held before was not set.
        let kept = |k: usize| !subject.is_read(s) && subject.is_formal(s) && element(x, s, k).to_bits() == element(&at, s, k).to_bits();
        rows.extend((0..n).filter(|&k| !kept(k)).map(|k| (s, k)));
    }
    if rows.is_empty() {
        return Err(fault("OB6061", super::oracle::UNSET));
    }
    let mut out = Oracle {
        slopes: vec![Vec::new(); rows.len()],
        tolerances: vec![Vec::new(); rows.len()],
        rows,
        directions: Vec::new(),
        noise: Values::new(),
        values: at,
        lost: Lost::default(),
        differences: true,
        // Compiled code does not tell.
        finite: true,
        moderate: true,
    };
    for d in &directions {
        let columns = along(subject, engine, x, d, &out)?;
        for (i, (slope, tolerance)) in columns.into_iter().enumerate() {
            out.slopes[i].push(slope);
            out.tolerances[i].push(tolerance);
        }
    }
    out.directions = directions;
    // Two compilations of one text may round differently.
    for (name, data) in &out.values {
        let of = |v: &Value<f64>| Value::real(v.as_scalar().map_or(0.0, |x| 1e-10 * (1.0 + x.abs())));
        out.noise.insert(name.clone(), Data { shape: data.shape.clone(), values: data.values.iter().map(of).collect() });
    }
    Ok(out)
}

/// Slope and tolerance of every row along a direction.
fn along(subject: &Subject, engine: &mut dyn Engine, x: &Values<f64>, d: &Direction, o: &Oracle) -> Result<Vec<(f64, f64)>, Fault> {
    let element = |v: &Values<f64>, (s, k): super::oracle::Element| {
        subject.value(v, s).and_then(|d| d.values.get(k)?.as_scalar().ok()).unwrap_or(f64::NAN)
    };
    let mut table: Vec<Vec<(f64, f64)>> = vec![Vec::new(); o.rows.len()];
    for level in 0..LEVELS {
        let h = FIRST / (1u64 << (2 * level)) as f64;
        let low = engine.primal(&displaced(subject, x, &d.seeds, -h))?.values;
        let high = engine.primal(&displaced(subject, x, &d.seeds, h))?.values;
        for (i, &row) in o.rows.iter().enumerate() {
            let (a, b) = (element(&low, row), element(&high, row));
            let rounding = 16.0 * subject.epsilon(row.0) * (a.abs() + b.abs()) / h;
            table[i].push(((b - a) / (2.0 * h), rounding));
        }
    }
    let mut out = Vec::new();
    for list in table {
        // Steps are quartered: one extrapolation removes h^2, the next h^4.
        let (mut best, mut error) = (f64::NAN, f64::INFINITY);
        let once: Vec<(f64, f64)> = list.windows(2).map(|p| ((16.0 * p[1].0 - p[0].0) / 15.0, p[1].1)).collect();
        for p in once.windows(2) {
            let twice = (256.0 * p[1].0 - p[0].0) / 255.0;
            let e = (twice - p[1].0).abs() + (twice - p[0].0).abs() / 16.0 + 2.0 * p[1].1;
            if e < error {
                (best, error) = (twice, e);
            }
        }
        out.push((best, 4.0 * error));
    }
    let largest = out.iter().fold(0.0, |m: f64, p| m.max(p.0.abs()));
    let unit = o.rows.first().map_or(f64::EPSILON, |r| subject.epsilon(r.0));
    let agree = AGREE.max(unit.powf(0.4)) * largest.max(1e-3);
    if out.iter().any(|p| !p.0.is_finite() || p.1.is_nan() || p.1 > agree) {
        return Err(fault("OB6061", "differences do not tell the derivative at this point"));
    }
    Ok(out)
}
