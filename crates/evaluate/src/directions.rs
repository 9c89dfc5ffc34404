//! Derivative units that serve several directions at once: how many these are where the unit is run, and how they lie in memory.
//!
//! Each direction is the first one times a power of two, so that nothing but an error can make its derivative anything else than that times the first. Where the
//! unit is told the number by an argument there are two. Lives here: that layout. Never here: how a unit is run.

use super::data::{Data, Limits};
use super::fault::{Fault, fault};
use super::value::Value;
use xaif::Program;
use xaif::members::around;
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
            return Some(Directions { count: n.get().into(), argument: None });
        }
        let wide = unit.formals.iter().any(|f| has_directions(program, f.symbol));
        let first = unit.formals.first().filter(|_| wide)?;
        Some(Directions { count: TOLD, argument: Some(program.symbol(first.symbol).name.to_string()) })
    }

    /// All of these data have room in all directions.
    ///
    /// # Errors
    /// More elements than a run may hold.
    pub fn have_room<'d>(&self, data: impl IntoIterator<Item = &'d Data<f64>>, limits: &Limits) -> Result<(), Fault> {
        let elements: usize = data.into_iter().map(|d| d.values.len()).sum();
        match elements.saturating_mul(self.count) > limits.elements {
            true => Err(fault("OB6004", format!("{elements} elements in {} directions do not fit into memory", self.count))),
            false => Ok(()),
        }
    }

    /// So many arguments stand before those that the unit has for one direction.
    pub fn arguments_before(&self) -> usize {
        usize::from(self.argument.is_some())
    }

    /// A derivative in all directions; `of`: the variable whose derivative it is.
    pub fn side_by_side(&self, program: &Program, of: Option<SymbolId>, data: &Data<f64>) -> Data<f64> {
        let before = dimensions_before(program, of, data.shape.len());
        let together = together(program, &data.shape[before..]);
        let mut shape = data.shape.clone();
        shape.insert(before, self.count);
        let times = |v: &Value<f64>, k: usize| match v {
            Value::Real(x, single) => Value::Real(factor(k) * x, *single),
            other => other.clone(),
        };
        let all =
            |part: &[Value<f64>]| (0..self.count).flat_map(|k| part.iter().map(|v| times(v, k)).collect::<Vec<_>>()).collect::<Vec<_>>();
        Data { shape, values: data.values.chunks(together).flat_map(all).collect() }
    }

    /// The first of all directions; no numbers where another one is not what it must be.
    pub fn first(&self, program: &Program, of: Option<SymbolId>, data: &Data<f64>) -> Data<f64> {
        let before = dimensions_before(program, of, data.shape.len().saturating_sub(1));
        let mut shape = data.shape.clone();
        if !shape.is_empty() {
            shape.remove(before);
        }
        let together = together(program, &shape[before.min(shape.len())..]);
        let first = |all: &[Value<f64>], j: usize| match &all[j] {
            Value::Real(x, single) => {
                let holds = |k: usize| matches!(all.get(k * together + j), Some(Value::Real(y, _)) if factor(k) * x == *y);
                Value::Real(if (0..self.count).all(holds) { *x } else { f64::NAN }, *single)
            }
            other => other.clone(),
        };
        let firsts = |all: &[Value<f64>]| (0..together).map(|j| first(all, j)).collect::<Vec<_>>();
        Data { shape, values: data.values.chunks_exact(self.count * together).flat_map(firsts).collect() }
    }
}

/// So many dimensions of a variable stand before that of the directions: none where the first index varies fastest; else all, but for a member those of its structure.
fn dimensions_before(program: &Program, of: Option<SymbolId>, rank: usize) -> usize {
    if program.index_order == IndexOrder::Column {
        return 0;
    }
    let structure = of.and_then(|s| around(program, s).next());
    structure.map_or(rank, |b| usize::from(program.symbol(b).rank).min(rank))
}

/// So many numbers of one direction lie one behind the other, where these are the extents of the dimensions behind that of the directions.
fn together(program: &Program, behind: &[usize]) -> usize {
    if program.index_order == IndexOrder::Column { 1 } else { behind.iter().product::<usize>().max(1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_room_is_told_before_it_is_made() {
        let directions = Directions { count: 60_000, argument: None };
        let (small, large) = (Data::reals(&[1.0; 10]), Data::reals(&[1.0; 2_000]));
        assert!(directions.have_room([&small], &Limits::default()).is_ok());
        let told = directions.have_room([&small, &large], &Limits::default()).unwrap_err();
        assert_eq!(told.code, "OB6004");
    }
}
