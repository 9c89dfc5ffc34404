//! Ranges in which the numbers of a variable lie, as the user says: `overbar range(t: 250:320)` in the text, or with the request.
//!
//! They change nothing but the points at which derivatives are checked. Lives here: how a range is written, and the attribute that carries it. Never here:
//! what is drawn.

use crate::Program;
use crate::head::is_name;
use crate::model::{Storage, Symbol, SymbolId, UnitId};

/// What the attribute begins with: `range:LOW:HIGH`.
const RANGE: &str = "range:";

/// A range with its ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The smallest number.
    pub low: f64,
    /// The largest.
    pub high: f64,
}

/// The range of a variable, if one is known.
pub fn of(symbol: &Symbol) -> Option<Range> {
    let text = symbol.decl.as_ref()?.attributes.iter().find_map(|a| a.strip_prefix(RANGE))?;
    bounds(text).ok()
}

/// Reads `t: 250:320` or `t=250:320`.
///
/// # Errors
/// What is wrong with it.
pub fn parse(text: &str) -> Result<(String, Range), String> {
    let (name, rest) = text.split_once(['=', ':']).ok_or_else(|| format!("`{}` does not say from where to where", text.trim()))?;
    let name = name.trim();
    if name.is_empty() || !name.split('%').all(is_name) {
        return Err(format!("`{name}` is no name"));
    }
    Ok((name.to_owned(), bounds(rest)?))
}

/// Reads `250:320`.
fn bounds(text: &str) -> Result<Range, String> {
    let (low, high) = text.split_once(':').ok_or_else(|| format!("`{}` does not say from where to where", text.trim()))?;
    let number = |t: &str| {
        // The exponents of Fortran are understood, too.
        let x = t.trim().to_ascii_lowercase().replace('d', "e").parse::<f64>().ok().filter(|x| x.is_finite());
        x.ok_or_else(|| format!("`{}` is no number", t.trim()))
    };
    let range = Range { low: number(low)?, high: number(high)? };
    if range.low <= range.high { Ok(range) } else { Err(format!("`{}` ends before it starts", text.trim())) }
}

/// The variables that a name means to whoever asks for a unit: its argument, else variables outside of all procedures.
fn named(program: &Program, unit: UnitId, name: &str) -> Vec<SymbolId> {
    let same = |s: &SymbolId| program.same_name(&program.symbol(*s).name, name);
    let formals: Vec<SymbolId> = program.unit(unit).formals.iter().map(|f| f.symbol).filter(same).collect();
    if !formals.is_empty() {
        return formals;
    }
    let shared = |s: &SymbolId| matches!(program.symbol(*s).storage(), Storage::Global | Storage::Static | Storage::Common(_));
    program.symbol_ids().filter(|s| shared(s) && same(s)).collect()
}

/// Notes a range for a name in a unit, in place of what was said before. Whether there is such a variable.
pub fn note(program: &mut Program, unit: UnitId, name: &str, range: Range) -> bool {
    let found = named(program, unit, name);
    for &s in &found {
        let attributes = &mut program.symbol_mut(s).decl.get_or_insert_default().attributes;
        attributes.retain(|a| !a.starts_with(RANGE));
        attributes.push(smol_str::format_smolstr!("{RANGE}{}:{}", range.low, range.high));
    }
    !found.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read() {
        let read = |t: &str| parse(t).map(|(n, r)| (n, r.low, r.high));
        assert_eq!(read("t: 250:320"), Ok(("t".into(), 250.0, 320.0)));
        assert_eq!(read(" s%t = -1d-3 : 2.5e0"), Ok(("s%t".into(), -1e-3, 2.5)));
        for wrong in ["t", "t: 250", "t: 3:2", "t: a:b", "1t: 1:2", ": 1:2", "t: 1:inf", "t: nan:1"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
