//! Results of functions that the adjoint takes from where the forward sweep has put them.
//!
//! ```text
//! t = tan(w)      ->      wb = wb + (1 + t*t)*tb        not: (1 + tan(w)**2)*tb
//! ```
//!
//! That asks for the value from *behind* the statement, so the adjoint comes before the old value is brought back, and the to-be-recorded analysis takes the
//! left side for read. It pays where that costs no more than the function: where a scalar is set in one place only.
//!
//! Lives here: which statements these are. Never here: their adjoints.

use super::common_values::is_function;
use crate::transform::adjoint::code::writes::Places;
use rustc_hash::FxHashSet;
use xaif::model::{Expr, SymbolId, VarRef};
use xaif::{Program, types};

/// Variables whose values stay.
#[derive(Debug, Default)]
pub(crate) struct Stays(FxHashSet<SymbolId>);

impl Stays {
    /// `alone`: scalars that share memory with nothing else.
    pub fn of(written: &Places, alone: &dyn Fn(SymbolId) -> bool) -> Stays {
        Stays(written.once().filter(|&s| alone(s)).collect())
    }

    /// Whether the left side is worth reading in the adjoint of `lhs = rhs`.
    pub fn holds(&self, program: &Program, lhs: &VarRef, rhs: &Expr) -> bool {
        if !self.0.contains(&lhs.symbol) || !lhs.subscripts.is_empty() || !is_function(rhs, rhs.root()) {
            return false;
        }
        let mut itself = false;
        rhs.for_each_ref(&mut |r| itself |= r.symbol == lhs.symbol);
        !itself && types::of_ref(program, lhs) == types::of(program, rhs)
    }
}
