//! Tables of numbers as C and Fortran declarations spell them.
//!
//! Lives here: `{1.0, 2.f, {3, 4}}`, `(/ 1.d0, 2.d0 /)`, `[real :: 1, 2]`, `3*0.0`. Never here: anything that needs names.

use super::scalar::Scalar;
use super::value::{IntKind, Value};

/// The numbers in the order in which they stand, filled up with zeros (C) where braces hold fewer than `count`. `None` where something
/// stands there that is no number.
pub fn numbers<S: Scalar>(text: &str, count: usize) -> Option<Vec<Value<S>>> {
    let text = text.trim();
    let (body, fills) = if let Some(t) = text.strip_prefix("(/").and_then(|t| t.strip_suffix("/)")) {
        (t, false)
    } else if let Some(t) = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')) {
        (t, false)
    } else if text.starts_with('{') {
        (text, true)
    } else {
        (text, false)
    };
    let body = body.split_once("::").map_or(body, |(_, list)| list);
    let mut out = Vec::new();
    for item in body.split(',') {
        // Nested braces only group; an inner group that is not full would shift what follows, so only outer ones may be short.
        let item = item.trim_matches(|c: char| c.is_whitespace() || c == '{' || c == '}' || c == '&');
        if item.is_empty() {
            continue;
        }
        let (times, item) = match item.split_once('*') {
            Some((n, rest)) => (n.trim().parse::<usize>().ok()?, rest.trim()),
            None => (1, item),
        };
        let value = number(item)?;
        if out.len().saturating_add(times) > count {
            return None;
        }
        out.extend(std::iter::repeat_n(value, times));
    }
    if out.len() == 1 && !fills && count > 1 {
        return Some(vec![out.swap_remove(0); count]);
    }
    if out.len() < count {
        let nested = body.matches('{').count() > 1;
        if !fills || nested {
            return None;
        }
        let zero = match out.first()? {
            Value::Real(..) => Value::real(0.0),
            _ => Value::int(0),
        };
        out.resize(count, zero);
    }
    Some(out)
}

fn number<S: Scalar>(text: &str) -> Option<Value<S>> {
    let lower = text.to_ascii_lowercase();
    match lower.as_str() {
        ".true." | "true" => return Some(Value::Bool(true)),
        ".false." | "false" => return Some(Value::Bool(false)),
        _ => {}
    }
    // A Fortran kind suffix says nothing about the value, except that the variable's own type rounds it.
    let body = lower.split_once('_').map_or(lower.as_str(), |(v, _)| v);
    if let Some(hex) = body.strip_prefix("0x") {
        let x = i128::from_str_radix(hex.trim_end_matches(['u', 'l']), 16).ok()?;
        return Some(Value::Int(x, IntKind { bits: 64, unsigned: false }));
    }
    let digits = body.trim_end_matches(['u', 'l']);
    if let Ok(x) = digits.parse::<i128>() {
        return Some(Value::Int(x, IntKind { bits: 64, unsigned: x > i128::from(i64::MAX) }));
    }
    let single = body.ends_with('f');
    let body = body.trim_end_matches(['f', 'l']).replace('d', "e");
    if !body.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | '+' | '-')) {
        return None;
    }
    let x = if single { f64::from(body.parse::<f32>().ok()?) } else { body.parse::<f64>().ok()? };
    Some(Value::Real(S::constant(x), single))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reals(text: &str, n: usize) -> Option<Vec<f64>> {
        numbers::<f64>(text, n).map(|l| l.iter().map(|v| v.as_scalar().unwrap()).collect())
    }

    #[test]
    fn tables_of_both_languages() {
        assert_eq!(reals("{1.0, -2.5e1, 3}", 3), Some(vec![1.0, -25.0, 3.0]));
        assert_eq!(reals("{1.0}", 3), Some(vec![1.0, 0.0, 0.0]));
        assert_eq!(reals("{{1, 2}, {3, 4}}", 4), Some(vec![1.0, 2.0, 3.0, 4.0]));
        assert_eq!(reals("(/ 1.d0, 2*3.0_wp /)", 3), Some(vec![1.0, 3.0, 3.0]));
        assert_eq!(reals("[real(8) :: 1, 2]", 2), Some(vec![1.0, 2.0]));
        assert_eq!(reals("0.1f", 1), Some(vec![f64::from(0.1f32)]));
        assert_eq!(reals("{{1}, {2, 3}}", 4), None);
        assert_eq!(reals("{a, b}", 2), None);
        assert_eq!(reals("1.0", 2), Some(vec![1.0, 1.0]));
    }
}
