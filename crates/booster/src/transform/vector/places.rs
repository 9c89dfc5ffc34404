//! Which dimension of a variable is that of the directions, and how far it goes.
//!
//! The contiguous one: the first in Fortran, the last in C; but a structure stands for each direction, and the arrays in it are its own. Never here: who has directions.

use rustc_hash::FxHashMap;
use xaif::Program;
use xaif::members::around;
use xaif::model::{Expr, IndexOrder, SymbolId};

/// Where a variable has its dimension of directions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// The rank that it has without it.
    pub(super) rank: u8,
    /// So many of its dimensions stand before it: none in Fortran; in C all, but for members those of the structure.
    pub(super) before: u8,
}

/// Variables with a dimension of directions.
pub(super) type Places = FxHashMap<SymbolId, Place>;

/// Where a variable that has none yet gets its dimension of directions.
pub(super) fn of(program: &Program, s: SymbolId) -> Place {
    let rank = program.symbol(s).rank;
    let before = match program.index_order {
        IndexOrder::Column => 0,
        IndexOrder::Row => structure(program, s).map_or(rank, |b| program.symbol(b).rank),
    };
    Place { rank, before }
}

/// The structure of which a variable is a component.
fn structure(program: &Program, s: SymbolId) -> Option<SymbolId> {
    around(program, s).next()
}

/// Whether a component is an array of its own.
pub(super) fn is_array(program: &Program, places: &Places, s: SymbolId) -> bool {
    let rank = |s: SymbolId| places.get(&s).map(|p| p.rank);
    structure(program, s).is_some_and(|b| rank(s) > rank(b))
}

/// Whether it is an array in one structure, not in each of several.
pub(super) fn is_array_in_one(program: &Program, places: &Places, s: SymbolId) -> bool {
    is_array(program, places, s) && structure(program, s).and_then(|b| places.get(&b)).is_some_and(|p| p.rank == 0)
}

/// The last of so many directions.
pub(super) fn last(number: &Expr, row: bool) -> Expr {
    match (row, number.as_int()) {
        (false, _) => number.clone(),
        (true, Some(n)) => Expr::int(n - 1),
        (true, None) => Expr::op("sub_scal_scal", [number.clone(), Expr::int(1)]),
    }
}
