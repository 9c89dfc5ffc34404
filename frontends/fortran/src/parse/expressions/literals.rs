//! Constants: spelling to value and type.
//!
//! Lives here: the notation of numbers, truth values and text. Never here: names, operators.

use crate::parse::context::state::{Lower, Lowered};
use crate::parse::text::tree::field;
use smol_str::SmolStr;
use tree_sitter::Node;
use xaif::model::*;

impl<'t> Lower<'t> {
    /// A number, truth value or text.
    pub fn literal(&self, node: Node) -> Lowered<Constant> {
        let text = self.text(node).trim();
        let constant = |ty, value: SmolStr, spelling: &str| Constant { ty, fe_type: SmolStr::default(), value, spelling: spelling.into() };
        match node.kind() {
            "number_literal" => {
                let kind = match field(node, "kind") {
                    None => None,
                    Some(k) => {
                        let known = self.const_int(k).and_then(Self::bits);
                        Some(known.ok_or_else(|| self.unknown_kind(k, k))?)
                    }
                };
                let digits = text.split('_').next().unwrap_or(text);
                if digits.bytes().all(|b| b.is_ascii_digit()) && !digits.is_empty() {
                    let value = digits.trim_start_matches('0');
                    let value = if value.is_empty() { "0" } else { value };
                    if value.parse::<i64>().is_err() {
                        return Err(self.refuse(node, "OB3042", format!("the integer `{text}` is too large")));
                    }
                    return Ok(constant(ElemType { base: BaseType::Integer, bits: kind.unwrap_or(32) }, value.into(), text));
                }
                let Some((value, bits)) = real_value(digits) else {
                    return Err(self.refuse(node, "OB3042", format!("the constant `{text}` is no decimal number")));
                };
                Ok(constant(ElemType { base: BaseType::Real, bits: kind.unwrap_or(bits) }, value.into(), text))
            }
            "boolean_literal" => {
                let value = if text.to_ascii_lowercase().starts_with(".t") { "true" } else { "false" };
                Ok(constant(ElemType::BOOL, value.into(), text))
            }
            "string_literal" => {
                let quote = text.chars().next_back().unwrap_or('\'');
                let inner = text.split_once(quote).map_or("", |(_, rest)| rest.strip_suffix(quote).unwrap_or(rest));
                let value = inner.replace(&format!("{quote}{quote}"), &quote.to_string());
                Ok(constant(ElemType { base: BaseType::String, bits: 0 }, value.into(), text))
            }
            _ => Err(self.refuse(node, "OB3042", format!("the constant `{text}` is not supported"))),
        }
    }
}

/// `1.d0` as (`1.0e0`, 64): digits on both sides of the point, exponent after `e`.
fn real_value(text: &str) -> Option<(String, u16)> {
    let text = text.to_ascii_lowercase();
    let at = text.find(['e', 'd', 'q']);
    let (mantissa, exponent) = match at {
        Some(i) => (&text[..i], &text[i + 1..]),
        None => (text.as_str(), ""),
    };
    let bits = match at.map(|i| &text[i..=i]) {
        Some("d") => 64,
        Some("q") => 128,
        _ => 32,
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let or_zero = |s: &str| if s.is_empty() { "0".to_string() } else { s.to_string() };
    let mut value = format!("{}.{}", or_zero(whole), or_zero(fraction));
    if !exponent.is_empty() {
        value = format!("{value}e{}", exponent.trim_start_matches('+'));
    }
    value.parse::<f64>().ok().map(|_| (value, bits))
}

#[cfg(test)]
mod tests {
    use super::real_value;

    #[test]
    fn reals_are_normalised() {
        assert_eq!(real_value("1.d0"), Some(("1.0e0".into(), 64)));
        assert_eq!(real_value(".5"), Some(("0.5".into(), 32)));
        assert_eq!(real_value("5."), Some(("5.0".into(), 32)));
        assert_eq!(real_value("1E+3"), Some(("1.0e3".into(), 32)));
        assert_eq!(real_value("1d-3"), Some(("1.0e-3".into(), 64)));
        assert_eq!(real_value("'ff'x"), None);
    }
}
