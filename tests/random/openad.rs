//! A program in the stock dialect, checked against the same derivatives.
//!
//! Never here: the request for our own dialect.

use super::check::{Point, derivative_limits};
use overbar::Options;
use overbar::evaluate::{Inputs, Jacobian, Sweep, Values, run_sweeps};
use std::panic::{AssertUnwindSafe, catch_unwind};
use xaif::Program;
use xaif::model::Dialect;

/// Both modes; what the dialect cannot say is refused and counts as good. Validation takes several times as long as all the rest.
pub fn check(program: &Program, p: &Point, exact: &Jacobian, schema: bool) -> Result<(), (&'static str, String)> {
    let mut stock = program.clone();
    stock.dialect = Dialect::Openad;
    for (name, tangent) in [("openad tangent", true), ("openad adjoint", false)] {
        let options = Options { tangent, adjoint: !tangent, ..Options::default() };
        match catch_unwind(AssertUnwindSafe(|| overbar::boost(stock.clone(), &options))) {
            Err(_) => return Err((name, "panic in the booster".into())),
            Ok(Err(_)) => {}
            Ok(Ok(b)) => compare(&b.program, tangent, p, exact, schema).map_err(|what| (name, what))?,
        }
    }
    Ok(())
}

fn compare(boosted: &Program, tangent: bool, p: &Point, exact: &Jacobian, schema: bool) -> Result<(), String> {
    if schema && let Some(d) = xaif::validate::schema("boosted", xaif::write::write(boosted).as_bytes()).first() {
        return Err(format!("invalid output: {d}"));
    }
    let unit = boosted.unit_named("head").ok_or("the head is lost")?;
    let (from, to, sweeps): (_, _, &[Sweep]) =
        if tangent { (&p.seeds, &p.independents, &[Sweep::Plain]) } else { (&p.weights, &p.dependents, &[Sweep::Tape, Sweep::Adjoint]) };
    let mut derivatives = Values::new();
    for (name, data) in from {
        if to.contains(name) {
            derivatives.insert(name.clone(), data.clone());
        }
    }
    let inputs = Inputs { values: p.inputs.values.clone(), derivatives };
    let run = run_sweeps(boosted, unit, &inputs, sweeps, &derivative_limits())
        .map_err(|e| format!("{}: {} ({:?})", e.code, e.message, e.reason))?;
    if run.counters.left > 0 {
        return Err(format!("OB6032: {} records are left", run.counters.left));
    }
    let tolerance = if p.single { 2e-3 } else { 1e-9 };
    let value =
        |name: &str, k: usize| -> f64 { run.derivatives.get(name).map_or(Some(0.0), |d| d.to_reals().get(k).copied()).unwrap_or(f64::NAN) };
    let (places, others) = if tangent { (&exact.rows, &exact.columns) } else { (&exact.columns, &exact.rows) };
    let weights: Vec<f64> = others.iter().map(|(n, k)| from[n].to_reals()[*k]).collect();
    for (i, (name, k)) in places.iter().enumerate() {
        let entry = |j: usize| if tangent { exact.entries[i][j] } else { exact.entries[j][i] };
        let expected: f64 = weights.iter().enumerate().map(|(j, w)| w * entry(j)).sum();
        let scale = (0..others.len()).map(|j| entry(j).abs()).sum::<f64>().max(1.0);
        let got = value(name, *k);
        if (got - expected).abs() > tolerance * scale || got.is_nan() {
            return Err(format!("derivative of `{name}` ({k}) is {got}, should be {expected}"));
        }
    }
    Ok(())
}
