//! How far rounding may move what a program computes and its derivatives: stochastic arithmetic, in which every operation is disturbed.
//!
//! Never here: whether the derivatives are right, or how far apart they may be.

use overbar::evaluate::{Data, Dual, Inputs, Limits, Noisy, Scalar, Value, check, run};
use xaif::Program;
use xaif::model::UnitId;

/// The drift and the size of all numbers that a unit leaves in the dependents, and of their derivatives.
pub fn drift(
    program: &Program,
    unit: UnitId,
    inputs: &Inputs<f64>,
    (ds, is): (&[&str], &[&str]),
    limits: &Limits,
) -> Option<Vec<(f64, f64)>> {
    let among = |list: &[&str], name: &str| list.iter().any(|n| program.same_name(n, name));
    let n = inputs.values.iter().filter(|(name, _)| among(is, name)).map(|(_, data)| data.values.len()).sum();
    let mut next = 0;
    let mut moved: Inputs<Noisy> = Inputs::default();
    for (name, data) in &inputs.values {
        let mut lifted = |v: &Value<f64>| match v {
            Value::Real(x, single) if among(is, name) => {
                next += 1;
                Value::Real(Noisy::input(Dual::variable(*x, next - 1, n)), *single)
            }
            v => check::lift(v),
        };
        let values = data.values.iter().map(&mut lifted).collect();
        moved.values.insert(name.clone(), Data { shape: data.shape.clone(), values });
    }
    let outcome = run(program, unit, &moved, limits).ok().filter(|o| o.stopped.is_none())?;
    let mut out = Vec::new();
    for (_, data) in outcome.arguments.iter().chain(&outcome.globals).filter(|(name, _)| among(ds, name)) {
        for v in &data.values {
            if let Value::Real(x, _) = v {
                out.push((x.spread(None), x.value().abs()));
                out.extend((0..n).map(|c| (x.spread(Some(c)), x.exact.derivative(c).abs())));
            }
        }
    }
    Some(out)
}
