//! Interfaces and declarations of a driver in Fortran: how procedures, and types of what they get, are spelled.
//!
//! Lives here: text of Fortran that says what something is. Never here: what a driver does (see [`super::harness_fortran`]).

use super::compiled::Slot;
use std::fmt::Write;
use xaif::model::{BaseType, Intent, Passing, Symbol, SymbolId, UnitId};
use xaif::{Diagnostic, Program, open};

/// How front ends mark functions whose result is a structure: in the model they are subroutines.
const RETURNS: &str = "returns structure";

pub(super) fn type_of(y: &Symbol, s: &Slot) -> Result<String, Diagnostic> {
    let bytes = |default: u16| if y.ty.bits == 0 { default } else { y.ty.bits / 8 };
    Ok(match y.ty.base {
        BaseType::Real if y.ty.bits == 0 => "double precision".into(),
        BaseType::Real => format!("real({})", bytes(8)),
        BaseType::Integer => format!("integer({})", bytes(4)),
        BaseType::Bool => format!("logical({})", bytes(4)),
        BaseType::Char | BaseType::String => format!("character(len={})", s.length),
        _ => return Err(Diagnostic::warning("OB6064", format!("`{}` has a type that the compiled harness cannot pass", s.name))),
    })
}

/// The argument that stands for what a function returns whose result is a structure; its derivatives have it as an argument.
pub(super) fn returned(p: &Program, u: UnitId) -> Option<SymbolId> {
    let unit = p.unit(u);
    let function = p.symbol(unit.symbol).has_attribute(RETURNS) && unit.derivation.is_none();
    unit.formals.iter().map(|f| f.symbol).rfind(|s| function && !is_part(p.symbol(*s)))
}

/// A component, which comes with its structure.
pub(super) fn is_part(y: &Symbol) -> bool {
    y.name.contains('%')
}

/// The type of a complex number, which is a structure that every program knows.
pub(super) fn complex(y: &Symbol) -> Option<String> {
    let text = &y.decl.as_ref()?.type_text;
    text.starts_with("complex").then(|| text.to_string())
}

/// The procedures that a unit gets from its caller, with their places among its arguments.
pub(super) fn procedures(p: &Program, u: UnitId) -> Vec<(usize, SymbolId)> {
    if p.unit(u).derivation.is_some() {
        let all = open::needed(p);
        return all.get(u.index()).into_iter().flatten().copied().enumerate().collect();
    }
    let named = |name: &str| p.symbol_ids().find(|&s| open::is_open(p.symbol(s)) && p.same_name(&p.symbol(s).name, name));
    open::gets(p.symbol(p.unit(u).symbol)).filter_map(|(place, name)| Some((place - 1, named(name)?))).collect()
}

/// The declaration of a procedure of which no interface is needed.
pub(super) fn external(p: &Program, s: SymbolId) -> Result<String, Diagnostic> {
    let y = p.symbol(s);
    if matches!(y.ty.base, BaseType::Void | BaseType::Opaque) {
        return Ok(format!("external :: {}", y.name));
    }
    Ok(format!("{}, external :: {}", type_of(y, &one_of(p, s, true))?, y.name))
}

/// One number of a symbol's type.
fn one_of(p: &Program, s: SymbolId, result: bool) -> Slot {
    let y = p.symbol(s);
    Slot {
        symbol: s,
        name: y.name.to_string(),
        formal: None,
        result,
        shape: Default::default(),
        count: 1,
        base: y.ty.base,
        length: 1,
        present: true,
        named: false,
    }
}

/// An interface for a unit that is in no module.
pub(super) fn interface(p: &Program, u: UnitId, name: &str, interfaces: &mut String) -> Result<(), Diagnostic> {
    let unit = p.unit(u);
    let mut body = String::new();
    let mut names = Vec::new();
    let mut result = None;
    let unknown = |y: &Symbol| y.ty.value_base() == BaseType::Opaque && complex(y).is_none();
    if unit.formals.iter().any(|f| unknown(p.symbol(f.symbol))) {
        return Err(Diagnostic::warning("OB6064", format!("`{name}` takes a structure and is in no module, so no driver can call it")));
    }
    let extents = |y: &Symbol| match (y.rank, y.passing()) {
        (0, _) => String::new(),
        (n, Passing::Descriptor) => format!("({})", vec![":"; usize::from(n)].join(", ")),
        _ => "(*)".into(),
    };
    let mut whole: Option<&Symbol> = None;
    for f in &unit.formals {
        let y = p.symbol(f.symbol);
        if is_part(y) {
            // The companion of a structure comes with the first of its components.
            let base = y.name.split('%').next().unwrap_or_default();
            if let Some(w) = whole.filter(|w| w.name != base && !names.iter().any(|n| n == base)) {
                let _ = writeln!(body, "      {} :: {base}{}", complex(w).unwrap_or_default(), extents(w));
                names.push(base.to_owned());
            }
            continue;
        }
        whole = Some(y);
        let is_result = f.result || returned(p, u) == Some(f.symbol);
        if is_result {
            if y.rank > 0 {
                return Err(Diagnostic::warning("OB6064", format!("`{name}` returns an array, for which no interface is written")));
            }
            result = Some(f.symbol);
        } else {
            names.push(y.name.to_string());
        }
        let s = one_of(p, f.symbol, is_result);
        let ty = match y.ty.base {
            BaseType::Char | BaseType::String => "character(len=*)".into(),
            _ => complex(y).map_or_else(|| type_of(y, &s), Ok)?,
        };
        let mut attributes = String::new();
        for a in ["allocatable", "pointer", "optional", "target", "contiguous"] {
            if y.has_attribute(a) {
                let _ = write!(attributes, ", {a}");
            }
        }
        if y.passing() == Passing::Value {
            attributes.push_str(", value");
        }
        if f.intent_declared && !is_result && y.passing() != Passing::Value {
            attributes.push_str(match f.intent {
                Intent::In => ", intent(in)",
                Intent::Out => ", intent(out)",
                Intent::Inout => ", intent(inout)",
            });
        }
        // What is passed by address is declared without its extents, on which nothing depends here.
        let _ = writeln!(body, "      {ty}{attributes} :: {}{}", y.name, extents(y));
    }
    for (place, s) in procedures(p, u) {
        names.insert(place.min(names.len()), p.symbol(s).name.to_string());
        let _ = writeln!(body, "      {}", external(p, s)?);
    }
    let word = if result.is_some() { "function" } else { "subroutine" };
    let pure = if open::is_open(p.symbol(unit.symbol)) && unit.prefixes.iter().any(|w| w == "pure") { "pure " } else { "" };
    let with = result
        .map(|r| p.symbol(r).name.to_string())
        .filter(|r| !r.eq_ignore_ascii_case(name))
        .map_or(String::new(), |r| format!(" result({r})"));
    let _ = writeln!(
        interfaces,
        "  interface\n    {pure}{word} {name}({}){with}\n      implicit none\n{body}    end {word}\n  end interface",
        names.join(", ")
    );
    Ok(())
}
