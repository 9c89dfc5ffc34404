//! Results of functions that are reversed in two sweeps.
//!
//! ```text
//! y(i) = f(x)     where x may be y: the reverse sweep of f begins with the values that its forward sweep left, and one of them is overwritten by then
//! ```
//!
//! The caller stores a result behind all that the callee has recorded, so its place gets its old value back behind the callee's reverse sweep, too late
//! for whatever shares memory with it. Front ends put results into variables of their own; other files need not. Lives here: this test. Never here: how
//! calls are reversed.

use crate::transform::adjoint::code::surroundings::Surroundings;
use xaif::Diagnostic;
use xaif::model::{Stmt, SymbolId, VarRef};

/// Whether the place of a call's result is none that the callee's reverse sweep reads, by `after`, the variables whose values behind the call it asks for.
///
/// # Errors
/// It may be one.
pub(crate) fn result(unit: &dyn Surroundings, stmt: &Stmt, place: &VarRef, after: &[SymbolId]) -> Result<(), Diagnostic> {
    let Some(&v) = after.iter().find(|&&v| unit.overlap(v, place.symbol)) else { return Ok(()) };
    let (to, from) = (&unit.program().symbol(place.symbol).name, &unit.program().symbol(v).name);
    let what = if to == from {
        format!("the result of this call goes into {to}, which the call reads as well")
    } else {
        format!("the result of this call goes into {to}, which may be {from}, which the call reads")
    };
    Err(Diagnostic::error("OB4061", what)
        .at(unit.program().location(stmt.span))
        .because("the reverse sweep of the callee would read what was stored over it")
        .help("assign the result to a variable of its own and that to its place, or reverse the call jointly"))
}
