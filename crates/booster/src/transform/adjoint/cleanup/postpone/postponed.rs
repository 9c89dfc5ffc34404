//! A store that is put off.
//!
//! Lives here: what it is. Never here: when it is due.

use crate::analysis::arrays::regions::Part;
use crate::transform::adjoint::code::expressions::mentions_any;
use crate::transform::adjoint::code::tree::ItemId;
use xaif::model::{SymbolId, VarRef};

/// What is to be found in a part of an array.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// Zeros.
    Zero,
    /// What another array has: `to` is to have what `from` has, for all values of the indices.
    Copy { to: VarRef, from: VarRef, indices: Vec<SymbolId> },
    /// Nobody knows, and nobody asks.
    Any,
}

/// A store that is put off.
#[derive(Clone, Debug)]
pub(super) struct Postponed {
    pub array: SymbolId,
    pub part: Part,
    pub value: Value,
    /// It is done; the elements have their values.
    pub written: bool,
    /// For each dimension the index of a loop over it.
    pub over: Vec<Option<SymbolId>>,
    /// The statements that it comes from.
    pub origins: Vec<ItemId>,
    /// How many loops and branches were around.
    pub depth: usize,
    pub arms: usize,
}

impl Postponed {
    pub(super) fn same(&self, other: &Postponed) -> bool {
        self.array == other.array && self.part == other.part && self.value == other.value
    }

    /// Whether what it stands for depends on one of some variables.
    pub(super) fn depends(&self, on: &dyn Fn(SymbolId) -> bool) -> bool {
        let mut found = depends(&self.part, on);
        if let Value::Copy { to, from, indices } = &self.value {
            found |= on(from.symbol);
            let own = |s: SymbolId| !indices.contains(&s) && on(s);
            found |= to.index_exprs().chain(from.index_exprs()).any(|e| mentions_any(e, own));
        }
        found
    }
}

/// Whether the bounds of a part depend on one of some variables.
pub(super) fn depends(part: &Part, on: &dyn Fn(SymbolId) -> bool) -> bool {
    part.iter().any(|s| mentions_any(&s.low, on) || mentions_any(&s.high, on))
}
