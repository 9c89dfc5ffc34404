//! What whoever makes code asks of the unit around it: types, new variables, who overlaps whom.
//!
//! Lives here: the questions. Never here: answers.

use xaif::Program;
use xaif::catalogue::Catalogue;
use xaif::model::{ElemType, Symbol, SymbolId, VarRef};

/// What the adjoint of a statement must know about its unit.
pub(crate) trait Surroundings {
    /// The program, for types.
    fn program(&self) -> &Program;
    /// Where partial derivatives come from.
    fn catalogue(&self) -> &Catalogue {
        Catalogue::builtin()
    }
    /// The adjoint variable of an active variable.
    fn adjoint(&self, symbol: SymbolId) -> Option<SymbolId>;
    /// Whether two variables may share memory.
    fn overlap(&self, a: SymbolId, b: SymbolId) -> bool;
    /// A new local scalar.
    fn temporary(&mut self, wish: &str, ty: ElemType) -> SymbolId;
    /// A local scalar that is used in the adjoint of one statement only.
    fn scratch(&mut self, ty: ElemType) -> SymbolId;
    /// A new local array with the extents of another one.
    fn array(&mut self, wish: &str, ty: ElemType, like: &Symbol) -> SymbolId;
    /// All elements of an array with bounds that hold at any time: a section for allocated arrays.
    fn whole(&self, symbol: SymbolId) -> VarRef;
    /// Whether the unit changes the variable.
    fn changes(&self, symbol: SymbolId) -> bool;
    /// Whether the variable is none of the original's.
    fn is_new(&self, symbol: SymbolId) -> bool;
}
