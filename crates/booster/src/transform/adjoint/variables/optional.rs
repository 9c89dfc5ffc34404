//! Arguments that a caller may leave out.
//!
//! An argument that is handed on to a call need not be there, so what is done around the call with its value or its adjoint has a condition:
//!
//! ```text
//! if (present(w)) w_old = w                 its value, where the call may overwrite it
//! if (present(v)) allocate (vb1(...)), 0    an adjoint of its own; what is not allocated is absent for the callee, too
//! ```
//!
//! Lives here: that condition, and arrays that are there only with the argument. Never here: what is saved, or why a copy is needed.

use super::allocated;
use crate::transform::adjoint::code::surroundings::Surroundings;
use crate::transform::adjoint::code::tree::Item;
use crate::transform::companions::known_extent;
use crate::transform::follow;
use xaif::Program;
use xaif::model::{Dim, ElemType, SymbolId};

/// Whether a variable is an argument that may be absent.
pub(crate) fn may_be_absent(program: &Program, symbol: SymbolId) -> bool {
    program.symbol(symbol).has_attribute("optional")
}

/// Items that are done only if an argument is there; all of them where it always is.
pub(crate) fn guarded(program: &Program, argument: SymbolId, items: Vec<Item>) -> Vec<Item> {
    if items.is_empty() || !may_be_absent(program, argument) {
        return items;
    }
    vec![Item::branch(follow::is_present(argument), items, Vec::new())]
}

/// An array of zeros like an argument that may be absent, which is allocated only with it: the array, what makes it, what frees it. `None` where its length is not known.
pub(crate) fn array_like(unit: &mut dyn Surroundings, wish: &str, ty: ElemType, argument: SymbolId) -> Option<(SymbolId, Vec<Item>, Item)> {
    let program = unit.program();
    let symbol = program.symbol(argument);
    let decl = symbol.decl.clone().unwrap_or_default();
    let dims: Vec<Dim> = (0..symbol.rank as usize).map(|k| known_extent(program, argument, k, &decl)).collect::<Option<_>>()?;
    let (made, allocate, free) = allocated::zeros(unit, wish, ty, allocated::bounds(&dims)?);
    let opened = guarded(unit.program(), argument, vec![allocate]);
    Some((made, opened, free))
}
