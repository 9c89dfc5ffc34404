//! Derivatives run in the interpreter at a point of ours, compared with dual numbers on the original: quick, and no judge of what front ends do.
//!
//! Never here: compilers, certificates.

use super::made::Derived;
use super::rng::Rng;
use super::text::{Argument, Kind, Program};
use overbar::evaluate::{Data, Inputs, Limits, Values, jacobian, run};
use overbar::verify::engine::{Engine, Interpreter, Programs};
use overbar::verify::subject::Subject;

/// What came out.
#[derive(Clone, Debug, PartialEq)]
pub enum Checked {
    Same,
    /// The original cannot be run there, or has no derivative of a size that can be compared.
    Invalid(String),
    Wrong(String),
}

/// Adjoints that run parts of a program again, several times in each other, take a multiple.
fn derivative_limits() -> Limits {
    Limits { steps: 12_000_000, ..limits() }
}

fn limits() -> Limits {
    Limits { steps: 150_000, depth: 200, elements: 1 << 20, tape_bytes: 1 << 24, ..Limits::default() }
}

/// Checks a program at the point of its seed.
pub fn check(program: &Program, derived: &Derived, seed: u64) -> Checked {
    let arguments: Vec<(String, &Argument)> = program.head.arguments.iter().map(|a| (a.name.clone(), a)).collect();
    check_at(&derived.parsed, &derived.boosted, &derived.options, &arguments, seed, program.single)
}

/// The same for any head of a program, whose arguments are like these.
pub fn check_at(
    parsed: &xaif::Program,
    boosted: &xaif::Program,
    options: &overbar::Options,
    arguments: &[(String, &Argument)],
    seed: u64,
    single: bool,
) -> Checked {
    let invalid = |what: &str| Checked::Invalid(what.to_owned());
    let Ok(subject) = Subject::new(parsed, &options.heads[0]) else { return invalid("head") };
    let made = Programs { tangent: options.tangent.then_some(boosted), adjoint: options.adjoint.then_some(boosted) };
    let mut engine = match Interpreter::new(&subject, made, derivative_limits()) {
        Ok(e) => e,
        Err(f) => return Checked::Wrong(f.message.clone()),
    };
    let mut rng = Rng::new(seed ^ 0x51ab_0001);
    let (mut x, mut seeds) = (Values::new(), Values::new());
    for (name, a) in arguments {
        if a.kind == Kind::Length {
            x.insert(name.clone(), Data::int(5));
            continue;
        }
        let list = |rng: &mut Rng, scale: f64, shift: f64| -> Data<f64> {
            let numbers: Vec<f64> = (0..a.elements).map(|_| f64::from((shift + scale * rng.real()) as f32)).collect();
            let data = Data::reals(&numbers);
            match (a.elements, parsed.index_order) {
                (1, _) if !a.array => data.shaped(&[]),
                (n, xaif::model::IndexOrder::Row) if a.matrix => data.shaped(&[n / 5, 5]),
                (n, _) if a.matrix => data.shaped(&[5, n / 5]),
                (n, _) => data.shaped(&[n]),
            }
        };
        x.insert(name.clone(), list(&mut rng, 0.9, 0.15));
        seeds.insert(name.clone(), list(&mut rng, 1.0, 0.0));
    }
    if let Some(result) = parsed.unit(subject.unit).result() {
        seeds.insert(subject.name(result.symbol).to_owned(), Data::real(0.7));
    }
    compare(&subject, &mut engine, &x, &seeds, options, single)
}

fn compare(
    subject: &Subject,
    engine: &mut Interpreter,
    x: &Values<f64>,
    seeds: &Values<f64>,
    options: &overbar::Options,
    single: bool,
) -> Checked {
    let names = |l: &[xaif::model::SymbolId]| l.iter().map(|&s| subject.name(s).to_owned()).collect::<Vec<_>>();
    let (ds, is) = (names(&subject.dependents), names(&subject.independents));
    fn borrowed(l: &[String]) -> Vec<&str> {
        l.iter().map(String::as_str).collect()
    }
    // The result goes by the unit's name there.
    let result = subject.program.unit(subject.unit).result().map(|f| subject.name(f.symbol).to_owned());
    let unit_name = subject.program.unit_name(subject.unit).to_owned();
    let asked: Vec<String> = ds.iter().map(|d| if Some(d) == result.as_ref() { unit_name.clone() } else { d.clone() }).collect();
    let inputs = Inputs { values: x.clone(), ..Inputs::default() };
    match run(subject.program, subject.unit, &inputs, &limits()) {
        // What becomes infinite on the way has no derivative, even where nobody reads it in the end.
        Ok(o) if o.counters.not_finite + o.counters.extreme > 0 => return Checked::Invalid("not finite on the way".into()),
        _ => {}
    }
    let exact = match jacobian(subject.program, subject.unit, &inputs, &borrowed(&asked), &borrowed(&is), &limits()) {
        Ok(j) => j,
        Err(f) => return Checked::Invalid(format!("{} {}", f.code, f.message)),
    };
    let most = if single { 1e3 } else { 1e7 };
    if exact.entries.iter().flatten().chain(&exact.values).any(|v| v.is_nan() || v.abs() >= most) {
        return Checked::Invalid("large".into());
    }
    let tolerance = if single { 5e-3 } else { 1e-7 };
    let has = |l: &[String], n: &str| l.iter().any(|x| x == n);
    let row_name = |n: &str| if n == unit_name { result.clone().unwrap_or_default() } else { n.to_owned() };
    let seed = |n: &str, k: usize| seeds.get(n).and_then(|d| d.to_reals().get(k).copied()).unwrap_or(f64::NAN);
    let directions: Values<f64> = seeds.iter().filter(|(n, _)| has(&is, n)).map(|(n, d)| (n.clone(), d.clone())).collect();
    let columns: Vec<f64> = exact.columns.iter().map(|(n, k)| seed(n, *k)).collect();
    let tangent = if options.tangent { Some(engine.tangent(x, &with_zeros(&directions, seeds, &ds))) } else { None };
    let state = match tangent {
        Some(Err(f)) => return Checked::Wrong(format!("tangent {} {}", f.code, f.message)),
        Some(Ok(s)) => Some(s),
        None => None,
    };
    for (((n, k), row), value) in exact.rows.iter().zip(&exact.entries).zip(&exact.values) {
        let Some(state) = &state else { break };
        let n = row_name(n);
        let want: f64 = row.iter().zip(&columns).map(|(a, b)| a * b).sum();
        let scale: f64 = row.iter().map(|a| a.abs()).sum::<f64>() + 1.0;
        let got = state.derivatives.get(&n).and_then(|d| d.to_reals().get(*k).copied()).unwrap_or(f64::NAN);
        if !near(got, want, tolerance * scale) {
            return Checked::Wrong(format!("tangent of {n} ({k}) is {got}, not {want}"));
        }
        let got = state.values.get(&n).and_then(|d| d.to_reals().get(*k).copied()).unwrap_or(f64::NAN);
        if !near(got, *value, tolerance * (1.0 + value.abs())) {
            return Checked::Wrong(format!("value of {n} ({k}) is {got}, not {value}"));
        }
    }
    if !options.adjoint {
        return Checked::Same;
    }
    let both: Values<f64> = seeds.iter().filter(|(n, _)| has(&is, n) || has(&ds, n)).map(|(n, d)| (n.clone(), d.clone())).collect();
    let state = match engine.adjoint(x, &both) {
        Ok(s) => s,
        Err(f) => return Checked::Wrong(format!("adjoint {} {}", f.code, f.message)),
    };
    if state.left > 0 {
        return Checked::Wrong(format!("adjoint leaves {} on the stack", state.left));
    }
    let weights: Vec<f64> = exact.rows.iter().map(|(n, k)| seed(&row_name(n), *k)).collect();
    for (c, (n, k)) in exact.columns.iter().enumerate() {
        let want: f64 = exact.entries.iter().zip(&weights).map(|(r, w)| r[c] * w).sum();
        let scale: f64 = exact.entries.iter().map(|r| r[c].abs()).sum::<f64>() + 1.0;
        let before = if has(&ds, n) || options.zero_init { 0.0 } else { seed(n, *k) };
        let got = state.derivatives.get(n).and_then(|d| d.to_reals().get(*k).copied()).unwrap_or(f64::NAN);
        if !near(got - before, want, tolerance * scale) {
            return Checked::Wrong(format!("adjoint of {n} ({k}) is {got}, not {before} + {want}"));
        }
    }
    Checked::Same
}

/// What is no number is near to nothing.
fn near(a: f64, b: f64, by: f64) -> bool {
    (a - b).abs() <= by
}

/// What is only an output has a derivative too, which comes in as zero.
fn with_zeros(directions: &Values<f64>, all: &Values<f64>, ds: &[String]) -> Values<f64> {
    let mut out = directions.clone();
    for (n, d) in all.iter().filter(|(n, _)| ds.contains(n)) {
        if !out.contains_key(n) {
            let zeros = vec![0.0; d.to_reals().len()];
            out.insert(n.clone(), Data::reals(&zeros).shaped(&d.shape));
        }
    }
    out
}
