//! Derivative units that serve several directions at once: how many these are where the unit is run, and how they lie in memory.
//!
//! Each direction is the first one times a power of two, so that nothing but an error can make its derivative anything else than that times the first. Where the
//! unit is told the number by an argument there are two. Lives here: that layout. Never here: how a unit is run.

use super::data::Data;
use super::value::Value;
use xaif::Program;
use xaif::model::{IndexOrder, SymbolId, UnitId};

/// The directions of a derivative unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directions {
    /// How many there are.
    pub count: usize,
    /// The argument that says so, the first one; `None` where the number is fixed.
    pub argument: Option<String>,
}

/// So many directions an argument says.
const TOLD: usize = 2;

/// Factors come again after so many, before they become large.
pub const FACTORS: usize = 8;

/// So many times the first direction is another one, counted from 0: powers of -2.
pub fn factor(direction: usize) -> f64 {
    (-2f64).powi((direction % FACTORS) as i32)
}

/// Whether a variable is a derivative in several directions.
pub fn has_directions(program: &Program, s: SymbolId) -> bool {
    let symbol = program.symbol(s);
    let of = symbol.decl.as_ref().and_then(|d| d.derivative_of);
    of.is_some_and(|of| symbol.rank == program.symbol(of).rank + 1)
}

impl Directions {
    /// Those of a derivative unit; `None` where it has one.
    pub fn of(program: &Program, unit: UnitId) -> Option<Directions> {
        let unit = program.units.get(unit.index())?;
        if let Some(n) = unit.directions {
            return Some(Directions { count: n.get() as usize, argument: None });
        }
        let wide = unit.formals.iter().any(|f| has_directions(program, f.symbol));
        let first = unit.formals.first().filter(|_| wide)?;
        Some(Directions { count: TOLD, argument: Some(program.symbol(first.symbol).name.to_string()) })
    }

    /// So many arguments stand before those that the unit has for one direction.
    pub fn arguments_before(&self) -> usize {
        usize::from(self.argument.is_some())
    }

    /// A derivative in all directions, which lie side by side.
    pub fn side_by_side(&self, data: &Data<f64>, order: IndexOrder) -> Data<f64> {
        let mut shape = data.shape.clone();
        shape.insert(if order == IndexOrder::Row { shape.len() } else { 0 }, self.count);
        let all = |v: &Value<f64>| match v {
            Value::Real(x, single) => (0..self.count).map(|k| Value::Real(factor(k) * x, *single)).collect(),
            other => vec![other.clone(); self.count],
        };
        Data { shape, values: data.values.iter().flat_map(all).collect() }
    }

    /// The first of all directions; no numbers where another one is not what it must be.
    pub fn first(&self, data: &Data<f64>, order: IndexOrder) -> Data<f64> {
        let mut shape = data.shape.clone();
        if !shape.is_empty() {
            shape.remove(if order == IndexOrder::Row { shape.len() - 1 } else { 0 });
        }
        let first = |all: &[Value<f64>]| match &all[0] {
            Value::Real(x, single) => {
                let holds = |(k, v): (usize, &Value<f64>)| matches!(v, Value::Real(y, _) if factor(k) * x == *y);
                Value::Real(if all.iter().enumerate().all(holds) { *x } else { f64::NAN }, *single)
            }
            other => other.clone(),
        };
        Data { shape, values: data.values.chunks_exact(self.count).map(first).collect() }
    }
}
