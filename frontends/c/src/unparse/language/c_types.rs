//! Types of the model as types of C.
//!
//! Lives here: which C type an element has, how it is spelled, and the names that go with it (math suffix, push and pop). Never here: declarators.

use smol_str::{SmolStr, format_smolstr};
use xaif::Program;
use xaif::callbacks;
use xaif::model::{BaseType, ElemType, IndexOrder, Symbol, SymbolKind};

/// A type of C.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CType {
    /// As it is written.
    pub text: SmolStr,
    /// The part of `ob_push_...` names; empty where the run-time support has no such type.
    pub runtime: &'static str,
}

/// Whether the program comes from C, so that type spellings are C's.
pub(crate) fn from_c(program: &Program) -> bool {
    match program.sources.first() {
        Some(source) => source.language == "c",
        None => program.index_order == IndexOrder::Row,
    }
}

/// Why a type cannot be written in C.
pub(crate) fn unsupported(ty: ElemType) -> &'static str {
    match ty.base {
        BaseType::Complex => "complex numbers are not written in C",
        BaseType::String => "character variables are not written in C",
        BaseType::Real => "C has no portable floating-point type of this width",
        _ => "the type is not known",
    }
}

/// The type of an element, from base and width; `None` where C has none.
pub(crate) fn of_elem(ty: ElemType, unsigned: bool, c: bool) -> Option<CType> {
    let (text, runtime) = match (ty.base, ty.bits, unsigned) {
        (BaseType::Real, 32, _) => ("float", "float"),
        (BaseType::Real, 0 | 64, _) => ("double", "double"),
        (BaseType::Real, 80, _) => ("long double", "long_double"),
        (BaseType::Integer, 8, false) => ("signed char", "signed_char"),
        (BaseType::Integer, 8, true) => ("unsigned char", "unsigned_char"),
        (BaseType::Integer, 16, false) => ("short", "short"),
        (BaseType::Integer, 16, true) => ("unsigned short", "unsigned_short"),
        (BaseType::Integer, 0 | 32, false) => ("int", "int"),
        (BaseType::Integer, 0 | 32, true) => ("unsigned int", "unsigned_int"),
        (BaseType::Integer, 64, false) if c => ("long", "long"),
        (BaseType::Integer, 64, false) => ("long long", "long_long"),
        (BaseType::Integer, 64, true) => ("unsigned long", "unsigned_long"),
        (BaseType::Bool, ..) => ("int", "int"),
        (BaseType::Char, ..) => ("char", "char"),
        (BaseType::Void, ..) => ("void", ""),
        _ => return None,
    };
    Some(CType { text: SmolStr::new_static(text), runtime })
}

/// A type with its name inside (`double (*@)(double)`): what stands before the declarator, and around the name.
pub(crate) fn around_name(text: &str) -> Option<(&str, &str, &str)> {
    let (before, behind) = text.split_once('@')?;
    let (outer, open) = before.rsplit_once(' ').unwrap_or(("", before));
    Some((outer, open, behind))
}

/// The type of a symbol's elements.
pub(crate) fn of_symbol(program: &Program, symbol: &Symbol) -> Option<CType> {
    let c = from_c(program);
    let plain = of_elem(symbol.ty, symbol.has_attribute("unsigned"), c);
    let spelled = symbol.decl.as_ref().map(|d| d.type_text.clone()).filter(|t| c && !t.is_empty());
    match (spelled, plain) {
        (Some(text), _) if symbol.pointer || symbol.kind == SymbolKind::Pointer => {
            let star = if text.ends_with('*') || text.contains('@') { "" } else { " *" };
            Some(CType { text: format_smolstr!("{text}{star}"), runtime: "" })
        }
        // Without the user's text nothing says what a name means; the type itself does.
        (Some(text), Some(plain))
            if !is_builtin_spelling(&text)
                && !symbol.has_attribute(callbacks::POINTER)
                && !program.sources.iter().any(|s| !s.text.is_empty()) =>
        {
            Some(plain)
        }
        (Some(text), plain) => {
            let mut runtime = plain.map_or("", |p| p.runtime);
            match (symbol.ty.base, text.as_str()) {
                _ if symbol.has_attribute(callbacks::POINTER) => runtime = "",
                (BaseType::Bool, "_Bool" | "bool") => runtime = "bool",
                (BaseType::Integer, "long long" | "long long int" | "signed long long") => runtime = "long_long",
                (BaseType::Integer, "unsigned long long" | "unsigned long long int") => runtime = "unsigned_long_long",
                _ => {}
            }
            Some(CType { text, runtime })
        }
        (None, plain) => plain,
    }
}

/// Words that the language itself has for types; anything else in a type is a name that some declaration must give.
pub(crate) fn is_builtin_spelling(text: &str) -> bool {
    const WORDS: [&str; 12] = ["void", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "_Bool", "const", "*"];
    text.split_whitespace().all(|w| WORDS.contains(&w))
}

/// The suffix of names in math.h.
pub(crate) fn math_suffix(ty: ElemType) -> &'static str {
    match (ty.base, ty.bits) {
        (BaseType::Real, 32) => "f",
        (BaseType::Real, 80 | 128) => "l",
        _ => "",
    }
}
