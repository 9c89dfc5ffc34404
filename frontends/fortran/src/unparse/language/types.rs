//! Types, kinds and literals in Fortran.
//!
//! Lives here: spelling of types and constants, conversions between types. Never here: declarations of whole units.

use smol_str::SmolStr;
use xaif::model::{BaseType, Constant, ElemType};

/// The width that 0 ("the default") stands for.
pub fn width(t: ElemType) -> u16 {
    match (t.bits, t.base) {
        (0, BaseType::Real | BaseType::Complex) => 64,
        (0, _) => 32,
        (bits, _) => bits,
    }
}

/// The same type; unknown widths count as the default ones.
pub fn same(a: ElemType, b: ElemType) -> bool {
    a.base == b.base && (width(a) == width(b) || !matches!(a.base, BaseType::Real | BaseType::Integer | BaseType::Complex))
}

/// The type's spelling, made from base and width; `None` where Fortran has no such type.
pub fn spelling(t: ElemType) -> Option<&'static str> {
    Some(match (t.base, width(t)) {
        (BaseType::Real, 64) => "double precision",
        (BaseType::Real, 32) => "real",
        (BaseType::Real, 80) => "real(10)",
        (BaseType::Real, 128) => "real(16)",
        (BaseType::Integer, 32) => "integer",
        (BaseType::Integer, 64) => "integer(8)",
        (BaseType::Integer, 16) => "integer(2)",
        (BaseType::Integer, 8) => "integer(1)",
        (BaseType::Complex, 32) => "complex",
        (BaseType::Complex, 64) => "complex(8)",
        (BaseType::Bool, _) => "logical",
        _ => return None,
    })
}

/// The spelling in the source, if it is one of Fortran. Forms that no standard knows (`real*8`) are written with their kind.
pub fn source_spelling(text: &str) -> Option<String> {
    let lower = text.trim().to_ascii_lowercase();
    let word: String = lower.chars().take_while(char::is_ascii_alphabetic).collect();
    let rest: String = lower[word.len()..].chars().filter(|c| !c.is_whitespace()).collect();
    match (word.as_str(), rest.as_str()) {
        ("double", "precision") | ("doubleprecision", "") => Some("double precision".into()),
        ("double", "complex") | ("doublecomplex", "") => Some("complex(8)".into()),
        ("real" | "integer" | "logical" | "complex" | "character" | "type" | "class", "") => Some(text.trim().to_owned()),
        ("real" | "integer" | "logical", r) if r.starts_with('*') => Some(format!("{word}({})", &r[1..])),
        ("complex", r) if r.starts_with('*') => r[1..].parse::<u16>().ok().map(|b| format!("complex({})", b / 2)),
        ("character", r) if r.starts_with('*') => Some(format!("character(len={})", r[1..].trim_matches(['(', ')']))),
        ("real" | "integer" | "logical" | "complex" | "character" | "type" | "class", r) if r.starts_with('(') => {
            Some(text.trim().to_owned())
        }
        _ => None,
    }
}

/// The kind suffix of a literal (`_16`), empty for the default kind; reals of 64 bits have the exponent letter `d` instead.
fn suffix(t: ElemType) -> &'static str {
    match (t.base, width(t)) {
        (BaseType::Real, 80) => "_10",
        (BaseType::Real, 128) => "_16",
        (BaseType::Integer, 64) => "_8",
        (BaseType::Integer, 16) => "_2",
        (BaseType::Integer, 8) => "_1",
        _ => "",
    }
}

/// A literal; `None` where there is none (infinity, a value of an unknown type). The flag says that it starts with a minus sign.
pub fn literal(c: &Constant, foreign: bool) -> Option<(String, bool)> {
    if !foreign && is_fortran_literal(c) {
        return Some((c.spelling.to_string(), c.spelling.starts_with('-')));
    }
    let value = c.value.trim();
    match c.ty.base {
        BaseType::Bool => match value.to_ascii_lowercase().as_str() {
            "true" | ".true." | "1" => Some((".true.".into(), false)),
            "false" | ".false." | "0" => Some((".false.".into(), false)),
            _ => None,
        },
        BaseType::Integer => integer(value, c.ty),
        BaseType::Real => real(value, c.ty),
        BaseType::String | BaseType::Char if !foreign => Some((format!("'{}'", c.value.replace('\'', "''")), false)),
        _ => None,
    }
}

fn integer(value: &str, ty: ElemType) -> Option<(String, bool)> {
    let n: i64 = value.strip_prefix('+').unwrap_or(value).parse().ok()?;
    let fits = |bits: u16| bits >= 64 || (-(1i64 << (bits - 1))..1i64 << (bits - 1)).contains(&n);
    let ty = if fits(width(ty)) { ty } else { ElemType { base: BaseType::Integer, bits: 64 } };
    let s = suffix(ty);
    let lowest = if width(ty) >= 64 { i64::MIN } else { -(1i64 << (width(ty) - 1)) };
    if n == lowest {
        // The magnitude of the lowest number is out of range as a literal.
        return Some((format!("(-{}{s} - 1{s})", (n + 1).unsigned_abs()), false));
    }
    Some((format!("{n}{s}"), n < 0))
}

fn real(value: &str, ty: ElemType) -> Option<(String, bool)> {
    let text = value.strip_prefix('+').unwrap_or(value).to_ascii_lowercase().replace('d', "e");
    // A check of the form, and that the value is a finite number.
    if !text.parse::<f64>().ok()?.is_finite() && width(ty) <= 64 || text.contains("inf") || text.contains("nan") {
        return None;
    }
    let (mantissa, exponent) = match text.split_once('e') {
        Some((m, e)) => (m.to_owned(), Some(e.strip_prefix('+').unwrap_or(e).to_owned())),
        None => (text.clone(), None),
    };
    let mantissa = if mantissa.contains('.') { mantissa } else { format!("{mantissa}.0") };
    let mantissa = if mantissa.ends_with('.') { format!("{mantissa}0") } else { mantissa };
    let negative = mantissa.starts_with('-');
    let out = match (width(ty), exponent) {
        (64, e) => format!("{mantissa}d{}", e.as_deref().unwrap_or("0")),
        (_, Some(e)) => format!("{mantissa}e{e}{}", suffix(ty)),
        (_, None) => format!("{mantissa}{}", suffix(ty)),
    };
    Some((out, negative))
}

/// The source's own spelling is a literal of Fortran, and of the constant's type as far as the spelling tells it.
fn is_fortran_literal(c: &Constant) -> bool {
    let s = c.spelling.to_ascii_lowercase();
    let body = s.strip_prefix(['-', '+']).unwrap_or(&s);
    match c.ty.base {
        BaseType::String | BaseType::Char => s.len() >= 2 && s.starts_with(['\'', '"']) && s.ends_with(['\'', '"']),
        BaseType::Bool => s.starts_with(".true.") || s.starts_with(".false."),
        BaseType::Integer => {
            let (digits, kind) = body.split_once('_').unwrap_or((body, ""));
            !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) && is_kind(kind)
        }
        BaseType::Real => {
            let (number, kind) = body.split_once('_').unwrap_or((body, ""));
            let mantissa = number.split(['e', 'd']).next().unwrap_or_default();
            let exponent = &number[mantissa.len()..];
            let digits = mantissa.bytes().filter(u8::is_ascii_digit).count();
            let dots = mantissa.bytes().filter(|b| *b == b'.').count();
            let good_exponent = exponent.is_empty() || {
                let e = exponent[1..].strip_prefix(['-', '+']).unwrap_or(&exponent[1..]);
                !e.is_empty() && e.bytes().all(|b| b.is_ascii_digit())
            };
            let has_kind = body.contains('_');
            let implied = if exponent.starts_with('d') { 64 } else { 32 };
            digits > 0
                && digits + dots == mantissa.len()
                && dots <= 1
                && (dots == 1 || !exponent.is_empty())
                && good_exponent
                && is_kind(kind)
                && (has_kind || c.ty.bits == 0 || c.ty.bits == implied)
        }
        _ => false,
    }
}

fn is_kind(kind: &str) -> bool {
    kind.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// The kind parameter in the source's spelling of a conversion: `real(wp)` and `real(x, kind=wp)` give `wp`.
pub fn kind_of_conversion(spelling: &SmolStr) -> Option<&str> {
    let open = spelling.find('(')?;
    let inner = spelling[open + 1..].trim_end().strip_suffix(')')?;
    let last = inner.rsplit(',').next()?.trim();
    let kind = match last.split_once('=') {
        Some((key, kind)) if key.trim().eq_ignore_ascii_case("kind") => kind.trim(),
        Some(_) => return None,
        None => last,
    };
    (!kind.is_empty() && kind.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')).then_some(kind)
}

/// A value converted to a numeric type.
pub fn converted(text: &str, to: ElemType) -> String {
    match (to.base, width(to)) {
        (BaseType::Real, 64) => format!("dble({text})"),
        (BaseType::Real, 80) => format!("real({text}, 10)"),
        (BaseType::Real, 128) => format!("real({text}, 16)"),
        (BaseType::Real, _) => format!("real({text})"),
        (BaseType::Integer, 64) => format!("int({text}, 8)"),
        (BaseType::Integer, 16) => format!("int({text}, 2)"),
        (BaseType::Integer, 8) => format!("int({text}, 1)"),
        (BaseType::Integer, _) => format!("int({text})"),
        (BaseType::Complex, 32) => format!("cmplx({text})"),
        (BaseType::Complex, _) => format!("cmplx({text}, kind=8)"),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn constant(base: BaseType, bits: u16, value: &str, spelling: &str) -> Constant {
        Constant { ty: ElemType { base, bits }, fe_type: "".into(), value: value.into(), spelling: spelling.into() }
    }

    fn lit(base: BaseType, bits: u16, value: &str, spelling: &str, foreign: bool) -> String {
        literal(&constant(base, bits, value, spelling), foreign).unwrap().0
    }

    #[test]
    fn literals_have_the_kind_of_their_type() {
        use BaseType::{Bool, Integer, Real};
        assert_eq!(lit(Real, 64, "1.5", "", false), "1.5d0");
        assert_eq!(lit(Real, 64, "1e-3", "", false), "1.0d-3");
        assert_eq!(lit(Real, 32, "2", "", false), "2.0");
        assert_eq!(lit(Real, 128, "1.5e+10", "", false), "1.5e10_16");
        assert_eq!(lit(Real, 64, "0.5", "0.5_wp", false), "0.5_wp");
        assert_eq!(lit(Real, 64, "1.0", "1.d0", false), "1.d0");
        assert_eq!(lit(Real, 64, "1.5", "1.5", false), "1.5d0", "a bare literal would be single precision");
        assert_eq!(lit(Real, 64, "1.5", "1.5", true), "1.5d0");
        assert_eq!(lit(Real, 32, "0.001", "1e-3f", true), "0.001");
        assert_eq!(lit(Integer, 32, "16", "0x10", true), "16");
        assert_eq!(lit(Integer, 32, "-2147483648", "", false), "(-2147483647 - 1)");
        assert_eq!(lit(Integer, 32, "3000000000", "", false), "3000000000_8");
        assert_eq!(lit(Integer, 64, "7", "", false), "7_8");
        assert_eq!(lit(Bool, 0, "true", "", false), ".true.");
        assert!(literal(&constant(Real, 64, "inf", ""), false).is_none());
    }

    #[test]
    fn types_of_the_source() {
        assert_eq!(source_spelling("REAL*8").as_deref(), Some("real(8)"));
        assert_eq!(source_spelling("real(kind=wp)").as_deref(), Some("real(kind=wp)"));
        assert_eq!(source_spelling("double"), None);
        assert_eq!(source_spelling("DOUBLE  PRECISION").as_deref(), Some("double precision"));
        assert_eq!(source_spelling("int"), None);
        assert_eq!(source_spelling("character*(*)").as_deref(), Some("character(len=*)"));
        assert_eq!(kind_of_conversion(&"real(wp)".into()), Some("wp"));
        assert_eq!(kind_of_conversion(&"real(x, kind=dp)".into()), Some("dp"));
        assert_eq!(kind_of_conversion(&"dble".into()), None);
    }
}
