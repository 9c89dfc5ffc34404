//! What the to-be-recorded analysis asks of a unit.
//!
//! Lives here: the questions. Never here: answers.

use crate::analysis::arrays::fresh::Piece;
use crate::transform::adjoint::code::tree::{Item, ItemId};
use crate::transform::adjoint::facts::effects::Facts;
use crate::transform::adjoint::variables::resized::Resized;
use xaif::Program;
use xaif::model::{Call, SymbolId, VarRef};

/// Reads statements off: sets for the analysis, adjoints for the sweeps.
pub(crate) trait Read {
    /// What the analysis and the sweeps need to know of a statement, which has this number.
    ///
    /// # Errors
    /// What cannot be differentiated.
    fn facts(&mut self, id: ItemId, stmt: &xaif::model::Stmt) -> Result<Facts, xaif::Diagnostic>;
    /// The program.
    fn program(&self) -> &Program;
    /// Arrays whose bounds are not fixed.
    fn resized(&self) -> &Resized;
    /// What the bounds of the arrays in some code read.
    fn extents(&self, items: &[Item]) -> Vec<SymbolId>;
    /// Whether a variable shares no memory with another one.
    fn is_alone(&self, symbol: SymbolId) -> bool;
    /// Whether the unit never changes a variable.
    fn is_fixed(&self, symbol: SymbolId) -> bool;
    /// All of a variable: see [`crate::transform::adjoint::code::surroundings::Surroundings::whole`].
    fn all_of(&self, symbol: SymbolId) -> VarRef;
    /// What a call reads and sets: see [`Calls::pieces`](crate::transform::adjoint::facts::frame::Calls::pieces).
    fn pieces<'a>(&'a self, call: &'a Call) -> Option<Vec<Piece<'a>>>;
}
