//! What a symbol is in C.
//!
//! Lives here: questions to one symbol. Never here: names, text.

use xaif::Program;
use xaif::members::RETURNED;
use xaif::model::{Storage, Symbol, SymbolId, Unit};

/// True for a pointer that owns what an allocation gave.
pub(crate) fn is_heap(symbol: &Symbol) -> bool {
    (symbol.has_attribute("heap") || symbol.has_attribute("allocatable")) && *symbol.storage() != Storage::Argument
}

/// A variable that the unit declares for itself.
pub(crate) fn is_own(program: &Program, unit: &Unit, s: SymbolId) -> bool {
    let symbol = program.symbol(s);
    symbol.scope == unit.scope && *symbol.storage() == Storage::Local && !unit.formals.iter().any(|f| f.symbol == s)
}

/// True for a structure that is an argument of the model, but the value of the function in C.
pub(crate) fn is_returned(symbol: &Symbol, unit: &Unit) -> bool {
    symbol.has_attribute(&RETURNED) && unit.derivation.is_none()
}

/// True for a variable that only its own file can name.
pub(crate) fn is_private(symbol: &Symbol) -> bool {
    matches!(symbol.storage(), Storage::Static | Storage::Constant) || symbol.has_attribute("static")
}
