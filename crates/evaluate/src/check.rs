//! Derivatives out of runs: Jacobians by dual numbers, and derivative units with their seeds.
//!
//! Lives here: which inputs move and which outputs are read. Never here: comparison and verdicts.

use super::data::{Counters, Data, Inputs, Limits, Outcome, Values};
use super::directions::{Directions, has_directions};
use super::dual::Dual;
use super::fault::{Fault, fault};
use super::run::run;
use super::scalar::Scalar;
use super::shared_derivatives::{SharedDerivatives, base, outlives};
use super::stacks::Shown;
use super::value::Value;
use xaif::Program;
use xaif::model::{SymbolId, UnitId};

/// The derivative of every element of the dependents with respect to every element of the independents.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Jacobian {
    /// Name and element (from 0, in memory order) of each row.
    pub rows: Vec<(String, usize)>,
    /// The same of each column.
    pub columns: Vec<(String, usize)>,
    /// The entries, row by row.
    pub entries: Vec<Vec<f64>>,
    /// The values of the dependents.
    pub values: Vec<f64>,
}

/// The Jacobian of a unit at a point, exact to rounding.
///
/// Names are those of formals or globals; the unit's own name stands for a function's result.
///
/// # Errors
/// Names that do not exist or have no real values, and everything of [`run`].
pub fn jacobian(
    program: &Program,
    unit: UnitId,
    inputs: &Inputs<f64>,
    dependents: &[&str],
    independents: &[&str],
    limits: &Limits,
) -> Result<Jacobian, Fault> {
    let mut out = Jacobian::default();
    for name in independents {
        let data = find(program, &inputs.values, name).ok_or_else(|| fault("OB6002", format!("independent `{name}` has no value")))?;
        for (k, v) in data.values.iter().enumerate() {
            if !matches!(v, Value::Real(..) | Value::Int(..)) {
                return Err(fault("OB6002", format!("element {k} of independent `{name}` is {}", v.describe())));
            }
            out.columns.push(((*name).to_owned(), k));
        }
    }
    let n = out.columns.len();
    let mut next = 0;
    let mut moved = Inputs::default();
    for (name, data) in &inputs.values {
        let independent = independents.iter().position(|i| program.same_name(i, name));
        let before: usize =
            independents[..independent.unwrap_or(0)].iter().filter_map(|i| find(program, &inputs.values, i)).map(|d| d.values.len()).sum();
        next = if independent.is_some() { before } else { next };
        let values = data.values.iter().map(|v| match (v, independent) {
            (v @ (Value::Real(..) | Value::Int(..)), Some(_)) => {
                next += 1;
                let single = matches!(v, Value::Real(_, true));
                Ok(Value::Real(Dual::variable(v.as_scalar()?, next - 1, n), single))
            }
            _ => Ok(lift(v)),
        });
        let values = values.collect::<Result<Vec<_>, Fault>>()?;
        moved.values.insert(name.clone(), Data { shape: data.shape.clone(), values });
    }
    let outcome: Outcome<Dual> = run(program, unit, &moved, limits)?;
    if let Some(stop) = outcome.stopped {
        return Err(Box::new(stop));
    }
    for name in dependents {
        let data = dependent(program, unit, &outcome, name)?;
        for (k, v) in data.values.iter().enumerate() {
            out.rows.push(((*name).to_owned(), k));
            let Value::Real(x, _) = v else {
                return Err(fault("OB6010", format!("element {k} of dependent `{name}` is {} at the end", v.describe())));
            };
            out.entries.push((0..n).map(|c| x.derivative(c)).collect());
            out.values.push(x.value());
        }
    }
    Ok(out)
}

/// A value in another arithmetic, as a constant.
pub fn lift<A: Scalar, B: Scalar>(v: &Value<A>) -> Value<B> {
    match v {
        Value::Undefined => Value::Undefined,
        Value::Real(x, single) => Value::Real(B::constant(x.value()), *single),
        Value::Int(x, k) => Value::Int(*x, *k),
        Value::Bool(b) => Value::Bool(*b),
        Value::Text(t) => Value::Text(t.clone()),
    }
}

fn find<'a, S>(program: &Program, values: &'a Values<S>, name: &str) -> Option<&'a Data<S>> {
    values.iter().find(|(n, _)| program.same_name(n, name)).map(|(_, d)| d)
}

/// A dependent of a run: a formal, the result, or a global.
fn dependent<'a, S>(program: &Program, unit: UnitId, outcome: &'a Outcome<S>, name: &str) -> Result<&'a Data<S>, Fault> {
    let result = program.unit(unit).result().filter(|_| program.same_name(name, program.unit_name(unit)));
    let by_result = result.and_then(|f| outcome.arguments.get(program.symbol(f.symbol).name.as_str()));
    by_result
        .or_else(|| find(program, &outcome.arguments, name))
        .or_else(|| find(program, &outcome.globals, name))
        .ok_or_else(|| fault("OB6001", format!("unit `{}` has no dependent `{name}`", program.unit_name(unit))))
}

/// What a derivative unit leaves behind.
#[derive(Clone, Debug)]
pub struct Gradient {
    /// Formals that are no derivatives.
    pub values: Values<f64>,
    /// Derivatives by the name of the variable whose derivatives they are.
    pub derivatives: Values<f64>,
    /// Variables that outlive calls.
    pub globals: Values<f64>,
    /// What it cost.
    pub counters: Counters,
    /// Its records, as far as they are to be shown.
    pub shown: Vec<Shown<f64>>,
}

/// Runs a derivative unit (`f_d`, `f_b`) of a boosted program.
///
/// `seeds` are named by the variable whose derivative they are (a function's result: as its derivative's `derivative_of` says), or by the
/// derivative itself. Derivative arguments without a seed start at zero. A unit for several directions is run in all of them (see [`super::directions`]).
///
/// # Errors
/// As [`run`]; something left on the stack; a program that stops itself.
pub fn derivative(program: &Program, unit: UnitId, inputs: &Inputs<f64>, seeds: &Values<f64>, limits: &Limits) -> Result<Gradient, Fault> {
    let call = DerivativeCall::of(program, unit)?;
    if let Some(d) = &call.directions {
        d.have_room(inputs.values.values().chain(seeds.values()), limits)?;
    }
    let outcome = run(program, unit, &call.inputs(inputs, seeds), limits)?;
    if let Some(stop) = outcome.stopped {
        return Err(Box::new(stop));
    }
    if outcome.counters.left > 0 {
        let message = format!("`{}` leaves {} records on the stack", program.unit_name(unit), outcome.counters.left);
        return Err(fault("OB6032", message));
    }
    Ok(call.gradient(outcome))
}

/// A derivative unit, as it is called from outside.
struct DerivativeCall<'a> {
    program: &'a Program,
    unit: UnitId,
    /// Names of formals, with what they are the derivatives of.
    formals: Vec<(&'a str, Option<SymbolId>)>,
    shared: SharedDerivatives<'a>,
    directions: Option<Directions>,
}

impl<'a> DerivativeCall<'a> {
    fn of(program: &'a Program, unit: UnitId) -> Result<DerivativeCall<'a>, Fault> {
        let formals = program.units.get(unit.index()).ok_or_else(|| fault("OB6001", "the program has no such unit"))?.formals.iter();
        let named = formals.map(|f| {
            let s = program.symbol(f.symbol);
            (s.name.as_str(), base(program, f.symbol))
        });
        let (shared, directions) = (SharedDerivatives::of(program, unit), Directions::of(program, unit));
        Ok(DerivativeCall { program, unit, formals: named.collect(), shared, directions })
    }

    /// The formal for the derivative of the function's result, which goes by the name of the function and has no variable in an adjoint.
    fn of_result(&self, name: &str) -> Option<&'a str> {
        let program = self.program;
        let unit = program.unit(self.unit);
        let of = program.units.get(unit.derivation?.of.index())?;
        let meant = [of.result()?.symbol, of.symbol].iter().any(|&s| program.same_name(&program.symbol(s).name, name));
        let seed = unit.formals.iter().find(|f| f.deriv && base(program, f.symbol).is_none())?;
        meant.then(|| program.symbol(seed.symbol).name.as_str())
    }

    /// Data for all directions of the unit, of the derivative of a variable.
    fn seeded(&self, of: Option<SymbolId>, data: &Data<f64>) -> Data<f64> {
        self.directions.as_ref().map_or_else(|| data.clone(), |d| d.side_by_side(self.program, of, data))
    }

    /// Data for the derivative of a shared variable.
    fn seeded_shared(&self, data: &Data<f64>, derivative: Option<SymbolId>) -> Data<f64> {
        match derivative.filter(|&s| has_directions(self.program, s)) {
            Some(s) => self.seeded(base(self.program, s), data),
            None => data.clone(),
        }
    }

    /// What the unit is given: primal values, seeds, and zeros for derivatives without a seed.
    fn inputs(&self, inputs: &Inputs<f64>, seeds: &Values<f64>) -> Inputs<f64> {
        let program = self.program;
        let zero = |like: &Data<f64>| Data { shape: like.shape.clone(), values: vec![Value::real(0.0); like.values.len()] };
        let named = |s: SymbolId| program.symbol(s).name.as_str();
        let mut all = inputs.clone();
        // Primal values that this unit has no use for (the result of a function, in its adjoint) are left out.
        all.values.retain(|name, _| self.formals.iter().any(|(n, _)| program.same_name(n, name)) || is_global(program, name));
        all.values.extend(self.directions.iter().filter_map(|d| Some((d.argument.clone()?, Data::int(d.count as i64)))));
        for (name, data) in seeds {
            let target =
                self.formals.iter().find(|(n, base)| base.is_some_and(|b| program.same_name(named(b), name) || program.same_name(n, name)));
            match target.copied().or_else(|| self.of_result(name).map(|n| (n, None))) {
                Some((n, of)) => all.values.insert(n.to_owned(), self.seeded(of, data)),
                None => {
                    let derivative = self.shared.of_variable(name);
                    let name = derivative.map_or(name.as_str(), |s| program.symbol(s).name.as_str());
                    all.values.insert(name.to_owned(), self.seeded_shared(data, derivative))
                }
            };
        }
        for (name, base) in &self.formals {
            if let Some(b) = base
                && find(program, &all.values, name).is_none()
                && let Some(data) = find(program, &inputs.values, named(*b))
            {
                all.values.insert((*name).to_owned(), self.seeded(*base, &zero(data)));
            }
        }
        for (name, data) in inputs.values.iter().filter(|(name, _)| is_global(program, name)) {
            let derivative = self.shared.of_variable(name);
            if let Some(c) = derivative.map(|s| &program.symbol(s).name).filter(|c| find(program, &all.values, c).is_none()) {
                all.values.insert(c.to_string(), self.seeded_shared(&zero(data), derivative));
            }
        }
        all
    }

    /// The first direction of a derivative.
    fn first(&self, of: SymbolId, data: Data<f64>) -> Data<f64> {
        match &self.directions {
            Some(d) => d.first(self.program, Some(of), &data),
            None => data,
        }
    }

    /// Values and derivatives apart.
    fn gradient(&self, outcome: Outcome<f64>) -> Gradient {
        let mut out = Gradient {
            values: Values::new(),
            derivatives: Values::new(),
            globals: outcome.globals,
            counters: outcome.counters,
            shown: outcome.shown,
        };
        for (name, data) in outcome.arguments {
            match self.formals.iter().find(|(n, _)| *n == name) {
                Some((_, Some(base))) => out.derivatives.insert(self.program.symbol(*base).name.to_string(), self.first(*base, data)),
                _ => out.values.insert(name, data),
            };
        }
        let of_shared: Vec<(String, Data<f64>)> = out
            .globals
            .keys()
            .filter(|name| !out.derivatives.contains_key(*name))
            .filter_map(|name| {
                let derivative = self.shared.of_variable(name)?;
                let data = find(self.program, &out.globals, &self.program.symbol(derivative).name)?.clone();
                let of = base(self.program, derivative).filter(|_| has_directions(self.program, derivative));
                Some((name.clone(), of.map_or(data.clone(), |of| self.first(of, data))))
            })
            .collect();
        out.derivatives.extend(of_shared);
        out
    }
}

fn is_global(program: &Program, name: &str) -> bool {
    program.symbols.iter().any(|s| outlives(s) && program.same_name(&s.name, name))
}
