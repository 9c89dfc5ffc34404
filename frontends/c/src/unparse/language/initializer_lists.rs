//! Initial values of tables that another language spelled.
//!
//! Lives here: `(/ 1.d0, 2.d0 /)` to `{1.0, 2.0}`, `reshape([1, 2, 3, 4], [2, 2])` to `{{1, 2}, {3, 4}}`, and the arithmetic that stands in them. Never here: names.

use crate::unparse::language::constants;
use smol_str::SmolStr;
use std::fmt::Write;
use xaif::model::{BaseType, Constant, ElemType};

/// So many elements may have one value.
const MOST_REPEATED: i64 = 64;

/// A list of constants as C has it. `extents`: in the order of C, as far as they are known. `None` for anything else than numbers.
pub(crate) fn table(text: &str, ty: ElemType, extents: &[Option<i64>]) -> Option<String> {
    let text = text.trim();
    if extents.is_empty() {
        return constant(text, ty);
    }
    let reshaped =
        text.get(..7).filter(|t| t.eq_ignore_ascii_case("reshape")).and_then(|_| text[7..].trim().strip_prefix('(')?.strip_suffix(')'));
    // The declaration has the shape, too.
    let list = match reshaped {
        Some(arguments) => match split(arguments)[..] {
            [list, _] => list,
            _ => return None,
        },
        None => text,
    };
    let inner =
        list.strip_prefix("(/").and_then(|t| t.strip_suffix("/)")).or_else(|| list.strip_prefix('[').and_then(|t| t.strip_suffix(']')));
    let Some(inner) = inner else {
        let count = extents.iter().try_fold(1i64, |p, n| p.checked_mul((*n)?)).filter(|n| (1..=MOST_REPEATED).contains(n))?;
        let one = constant(list, ty)?;
        return nested(&vec![one; count as usize], extents);
    };
    let inner = inner.split_once("::").map_or(inner, |(_, items)| items);
    let items: Vec<String> = split(inner).into_iter().map(|item| constant(item, ty)).collect::<Option<_>>()?;
    nested(&items, extents)
}

/// Items in the order of memory in braces for each dimension.
fn nested(items: &[String], extents: &[Option<i64>]) -> Option<String> {
    if extents.len() == 1 {
        return Some(format!("{{{}}}", items.join(", ")));
    }
    let inner = extents[1..].iter().try_fold(1usize, |p, n| p.checked_mul(usize::try_from((*n)?).ok()?)).filter(|n| *n > 0)?;
    if !items.len().is_multiple_of(inner) {
        return None;
    }
    let rows: Option<Vec<String>> = items.chunks(inner).map(|row| nested(row, &extents[1..])).collect();
    Some(format!("{{{}}}", rows?.join(", ")))
}

/// The items between commas that stand in no brackets.
fn split(text: &str) -> Vec<&str> {
    let (mut depth, mut from, mut out) = (0i32, 0, Vec::new());
    for (k, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                out.push(text[from..k].trim());
                from = k + 1;
            }
            _ => {}
        }
    }
    out.push(text[from..].trim());
    out
}

/// A constant, or sums and products of numbers.
fn constant(item: &str, ty: ElemType) -> Option<String> {
    let lower = item.to_ascii_lowercase();
    if !matches!(ty.base, BaseType::Real | BaseType::Integer) {
        let value = if ty.base == BaseType::Bool { lower.trim_matches('.') } else { lower.split('_').next()? };
        return spelled(value, ty);
    }
    let (sign, number) = match lower.strip_prefix(['-', '+']) {
        Some(rest) => (if lower.starts_with('-') { "-" } else { "" }, rest.trim()),
        None => ("", lower.as_str()),
    };
    if let Some((value, single, "")) = literal(number) {
        // A number of single precision has that value, whatever it is assigned to.
        let rounded =
            single && ty.base == BaseType::Real && ty.bits != 32 && value.parse::<f32>().ok().map(f64::from) != value.parse::<f64>().ok();
        let own = if rounded { ElemType { base: BaseType::Real, bits: 32 } } else { ty };
        return spelled(&format!("{sign}{value}"), own);
    }
    let mut out = String::new();
    let mut rest = lower.as_str();
    while let Some(c) = rest.chars().next() {
        if c.is_ascii_digit() || c == '.' {
            let (value, single, behind) = literal(rest)?;
            let whole = value.bytes().all(|b| b.is_ascii_digit());
            let own = match (whole, single) {
                (true, _) => ElemType::INTEGER,
                (_, true) => ElemType { base: BaseType::Real, bits: 32 },
                _ => ElemType::REAL64,
            };
            out.push_str(&spelled(&value, own)?);
            rest = behind;
            continue;
        }
        match c {
            '*' if rest.starts_with("**") => return None,
            '+' | '-' | '*' | '/' if !out.is_empty() && !out.ends_with(['(', ' ']) => _ = write!(out, " {c} "),
            '+' | '-' | '(' | ')' => out.push(c),
            ' ' => {}
            _ => return None,
        }
        rest = &rest[1..];
    }
    (!out.is_empty()).then_some(out)
}

/// A number at the start of a text: its value with the exponent of C, whether it is a real one of default kind, and what stands behind it.
fn literal(text: &str) -> Option<(String, bool, &str)> {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut at = digits(0);
    let mut value = text[..at].to_owned();
    let mut real = false;
    if bytes.get(at) == Some(&b'.') {
        real = true;
        let n = digits(at + 1);
        value.push_str(&text[at..=at + n]);
        at += 1 + n;
    }
    if !value.bytes().any(|b| b.is_ascii_digit()) {
        return None;
    }
    let mut single = true;
    if let Some(mark @ (b'e' | b'd' | b'q')) = bytes.get(at) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let n = digits(at + 1 + sign);
        if n == 0 {
            return None;
        }
        (real, single) = (true, *mark == b'e');
        let _ = write!(value, "e{}", &text[at + 1..at + 1 + sign + n]);
        at += 1 + sign + n;
    }
    if bytes.get(at) == Some(&b'_') {
        let n = bytes[at + 1..].iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
        // Other kinds say nothing that the declaration does not say.
        single = &text[at + 1..at + 1 + n] == "4";
        at += 1 + n;
    }
    Some((value, real && single, text[at..].trim_start()))
}

fn spelled(value: &str, ty: ElemType) -> Option<String> {
    constants::spell(&Constant { ty, fe_type: SmolStr::default(), value: value.into(), spelling: SmolStr::default() }, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: [Option<i64>; 1] = [None];

    #[test]
    fn fortran_lists_become_braces() {
        assert_eq!(table("(/ 1.d0, -2.5_dp, 3e-2_dp /)", ElemType::REAL64, &LIST).as_deref(), Some("{1.0, -2.5, 0.03}"));
        assert_eq!(table("[1, 2]", ElemType::INTEGER, &LIST).as_deref(), Some("{1, 2}"));
        assert_eq!(table("[- .7d0, + 2.0d0]", ElemType::REAL64, &LIST).as_deref(), Some("{-0.7, 2.0}"));
        assert_eq!(table(".true.", ElemType::BOOL, &[]).as_deref(), Some("1"));
        assert_eq!(table("(/ (i, i = 1, 3) /)", ElemType::INTEGER, &LIST), None);
        assert_eq!(table("(/ 2.0**3 /)", ElemType::REAL64, &LIST), None);
    }

    /// 0.1 is a number of single precision, 0.5 has the same value in both.
    #[test]
    fn numbers_of_single_precision_keep_their_value() {
        assert_eq!(table("[0.1, 0.5, 0.1d0, 0.1_4]", ElemType::REAL64, &LIST).as_deref(), Some("{0.1f, 0.5, 0.1, 0.1f}"));
        assert_eq!(table("(/ 1.0/3, 2*(1.5d0 - 0.5d0) /)", ElemType::REAL64, &LIST).as_deref(), Some("{1.0f / 3, 2 * (1.5 - 0.5)}"));
    }

    #[test]
    fn matrices_have_braces_for_each_row() {
        let rows = [Some(2), Some(2)];
        assert_eq!(table("reshape([1, 2, 3, 4], [2, 2])", ElemType::INTEGER, &rows).as_deref(), Some("{{1, 2}, {3, 4}}"));
        assert_eq!(
            table("reshape([real(8) :: 1, 2.5d0, 3, 4], [n, 2])", ElemType::REAL64, &rows).as_deref(),
            Some("{{1.0, 2.5}, {3.0, 4.0}}")
        );
        assert_eq!(table("0", ElemType::INTEGER, &rows).as_deref(), Some("{{0, 0}, {0, 0}}"));
        assert_eq!(table("reshape([1, 2, 3], [2, 2])", ElemType::INTEGER, &rows), None);
    }
}
