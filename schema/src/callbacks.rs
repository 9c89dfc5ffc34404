//! Pointers to functions in a program: numbers, each of which stands for a function.
//!
//! A variable that holds such a pointer is an integer with the attribute [`POINTER`], whose
//! declaration's text has an `@` where its name stands, or is the name of a type. A function as a value is a constant of the function's own
//! name with the attribute [`FUNCTION`]; its value is the number. A parameter says with [`TARGET`]
//! what may be passed for it.
//!
//! Lives here: the words for that. Never here: what may be called (front ends make calls of it).

use crate::model::Symbol;
use smol_str::SmolStr;

/// The attribute of a constant that stands for the function of its name.
pub const FUNCTION: &str = "function";
/// The attribute of a variable that holds a pointer to a function.
pub const POINTER: &str = "callback";
/// What the attribute begins with that names a function which may be passed: `target:NUMBER=name`.
pub const TARGET: &str = "target:";

/// The annotation of a stop where a pointer is to none of the functions that it may be.
pub const NO_TARGET: SmolStr = SmolStr::new_static("no target");

/// Whether a symbol is a function as a value.
pub fn is_function_value(symbol: &Symbol) -> bool {
    symbol.has_attribute(FUNCTION)
}

/// The functions that may be passed for a parameter, with their numbers.
pub fn targets(symbol: &Symbol) -> impl Iterator<Item = (i64, &str)> {
    let attributes = symbol.decl.iter().flat_map(|d| &d.attributes);
    attributes.filter_map(|a| a.strip_prefix(TARGET)?.split_once('=')).filter_map(|(n, name)| Some((n.parse().ok()?, name)))
}
