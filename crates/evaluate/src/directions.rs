//! Derivative units that serve several directions at once, run with two.
//!
//! The second direction is a power of two times the first, so that nothing but an error can make the second derivative anything else than that times the first.
//! Lives here: how two directions lie in memory. Never here: how a unit is run.

use super::data::Data;
use super::value::Value;
use xaif::Program;
use xaif::model::{IndexOrder, UnitId};

/// So many times the first direction is the second.
pub const SECOND: f64 = -2.0;

/// The argument of a derivative unit that is the number of directions; `None` where the unit has one direction.
pub fn argument(program: &Program, unit: UnitId) -> Option<&str> {
    let formals = &program.units.get(unit.index())?.formals;
    let wide = formals.iter().any(|f| {
        let s = program.symbol(f.symbol);
        let of = s.decl.as_ref().and_then(|d| d.derivative_of);
        of.is_some_and(|of| s.rank == program.symbol(of).rank + 1)
    });
    formals.first().filter(|_| wide).map(|f| program.symbol(f.symbol).name.as_str())
}

/// A derivative in two directions, which lie side by side.
pub fn two(data: &Data<f64>, order: IndexOrder) -> Data<f64> {
    let mut shape = data.shape.clone();
    shape.insert(if order == IndexOrder::Row { shape.len() } else { 0 }, 2);
    let pair = |v: &Value<f64>| match v {
        Value::Real(x, single) => [v.clone(), Value::Real(SECOND * x, *single)],
        other => [other.clone(), other.clone()],
    };
    Data { shape, values: data.values.iter().flat_map(pair).collect() }
}

/// The first of two directions; no numbers where the second is not what it must be.
pub fn first_of_two(data: &Data<f64>, order: IndexOrder) -> Data<f64> {
    let mut shape = data.shape.clone();
    if !shape.is_empty() {
        shape.remove(if order == IndexOrder::Row { shape.len() - 1 } else { 0 });
    }
    let first = |pair: &[Value<f64>]| match pair {
        [Value::Real(x, single), Value::Real(second, _)] if SECOND * x != *second => Value::Real(f64::NAN, *single),
        _ => pair[0].clone(),
    };
    Data { shape, values: data.values.chunks_exact(2).map(first).collect() }
}
