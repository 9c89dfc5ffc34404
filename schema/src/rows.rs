//! Arrays whose rows pointers lead to: what `double **a` is in C.
//!
//! Such an array has two dimensions or more, like any other; only its first subscript leads to a pointer, so that nothing is known of where one
//! row lies as seen from another one. Rows do not overlap. Lives here: the words. Never here: text of a language.

use crate::model::Symbol;
use smol_str::SmolStr;

/// The attribute of an array whose rows pointers lead to.
pub const ROWS: SmolStr = SmolStr::new_static("rows");
/// The attribute of one whose pointers are constant themselves: `double *const *a`.
pub const CONSTANT_ROWS: SmolStr = SmolStr::new_static("constant_rows");

/// True for an array whose rows pointers lead to.
pub fn has_rows(symbol: &Symbol) -> bool {
    symbol.has_attribute(&ROWS)
}
