//! Variables that are places in the memory of another one: names in EQUIVALENCE, and in COMMON blocks that units lay out differently.
//!
//! Lives here: what is kept of such a name. Never here: how it is found out (see `shared_storage`), or what a reference to it becomes (see `overlaid`).

use super::terms::Val;
use xaif::model::SymbolId;

/// A name for a part of an array of one dimension.
#[derive(Clone, Debug)]
pub struct Overlay {
    /// The variable of that name, which the program does not have any more.
    pub was: SymbolId,
    /// The array.
    pub storage: SymbolId,
    /// Elements of it before the first one that is meant.
    pub before: i64,
    /// Lower bound and extent of each dimension; empty for a scalar.
    pub dims: Vec<(i64, i64)>,
    /// What the name stands for; of arrays of several dimensions, their elements in one row.
    pub value: Val,
}

/// A run of elements of one type in a COMMON block, with its length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    pub ty: xaif::model::ElemType,
    pub length: i64,
}
