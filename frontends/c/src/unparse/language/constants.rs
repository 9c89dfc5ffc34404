//! Constants.
//!
//! Lives here: how a constant is spelled in C. Never here: arithmetic.

use xaif::model::{BaseType, Constant};

/// Text of a constant; `None` where C has no such constant.
pub(crate) fn spell(c: &Constant, keep_spelling: bool) -> Option<String> {
    let kept = keep_spelling && !c.spelling.is_empty();
    match c.ty.base {
        BaseType::Real => {
            let suffix = match c.ty.bits {
                32 => "f",
                80 | 128 => "L",
                _ => "",
            };
            if kept && is_real_literal(&c.spelling, suffix) {
                return Some(c.spelling.to_string());
            }
            real(&c.value, suffix)
        }
        BaseType::Integer => {
            if kept && is_integer_literal(&c.spelling) {
                return Some(c.spelling.to_string());
            }
            integer(&c.value, c.ty.bits)
        }
        BaseType::Bool => match c.value.as_str() {
            "true" | "1" => Some("1".into()),
            "false" | "0" => Some("0".into()),
            _ => None,
        },
        BaseType::Char if kept && c.spelling.starts_with('\'') => Some(c.spelling.to_string()),
        BaseType::Char => {
            let mut chars = c.value.chars();
            match (chars.next(), chars.next()) {
                (Some(x), None) if x.is_ascii() => Some(format!("'{}'", escaped(x, '\''))),
                _ => integer(&c.value, 32),
            }
        }
        BaseType::String if kept && c.spelling.starts_with('"') => Some(c.spelling.to_string()),
        BaseType::String => Some(format!("\"{}\"", c.value.chars().map(|x| escaped(x, '"')).collect::<String>())),
        BaseType::Void | BaseType::Complex | BaseType::Opaque => None,
    }
}

fn escaped(c: char, quote: char) -> String {
    match c {
        '\n' => "\\n".into(),
        '\t' => "\\t".into(),
        '\\' => "\\\\".into(),
        '\0' => "\\0".into(),
        c if c == quote => format!("\\{c}"),
        c if c.is_ascii_control() => format!("\\{:03o}", c as u32),
        c => c.to_string(),
    }
}

/// Digits, a point or an exponent, and just the suffix that the type has.
fn is_real_literal(s: &str, suffix: &str) -> bool {
    let lower = s.to_ascii_lowercase();
    let body = if suffix.is_empty() { Some(lower.as_str()) } else { lower.strip_suffix(&suffix.to_ascii_lowercase()) };
    let Some(body) = body else { return false };
    let (digits, exponent, hex) = match body.strip_prefix("0x") {
        Some(h) => (h, 'p', true),
        None => (body, 'e', false),
    };
    let (mantissa, power) = match digits.split_once(exponent) {
        Some((m, p)) => (m, Some(p)),
        None => (digits, None),
    };
    let is_digit = |c: char| if hex { c.is_ascii_hexdigit() } else { c.is_ascii_digit() };
    let mantissa_good =
        mantissa.chars().any(is_digit) && mantissa.chars().all(|c| c == '.' || is_digit(c)) && mantissa.matches('.').count() <= 1;
    let power_good = power.map_or(!hex, |p| {
        let p = p.strip_prefix(['+', '-']).unwrap_or(p);
        !p.is_empty() && p.chars().all(|c| c.is_ascii_digit())
    });
    mantissa_good && power_good && (power.is_some() || mantissa.contains('.'))
}

fn is_integer_literal(s: &str) -> bool {
    if s.len() >= 3 && s.starts_with('\'') && s.ends_with('\'') {
        return true;
    }
    let lower = s.to_ascii_lowercase();
    let body = lower.trim_end_matches(['u', 'l']);
    if lower.len() - body.len() > 3 || body.is_empty() {
        return false;
    }
    match body.strip_prefix("0x") {
        Some(h) => !h.is_empty() && h.chars().all(|c| c.is_ascii_hexdigit()),
        // A leading zero means eight in C and nothing in Fortran.
        None => body.chars().all(|c| c.is_ascii_digit()) && (body == "0" || !body.starts_with('0')),
    }
}

/// The shortest decimal that reads back to the same value of that type.
fn real(value: &str, suffix: &str) -> Option<String> {
    let normal = value.trim().to_ascii_lowercase().replace(['d', 'q'], "e");
    let x: f64 = normal.parse().ok()?;
    if x.is_nan() {
        return Some("NAN".into());
    }
    if x.is_infinite() && !normal.contains(|c: char| c.is_ascii_digit()) {
        return Some(if x > 0.0 { "INFINITY".into() } else { "-INFINITY".into() });
    }
    let digits = match suffix {
        "f" => {
            let y: f32 = normal.parse().ok()?;
            if y.is_infinite() {
                return None;
            }
            format!("{y:?}")
        }
        // A wide constant keeps all the digits it has.
        "L" => {
            if normal.contains(['.', 'e']) {
                normal.trim_start_matches('+').to_string()
            } else {
                format!("{}.0", normal.trim_start_matches('+'))
            }
        }
        _ if x.is_infinite() => return None,
        _ => format!("{x:?}"),
    };
    let digits = if digits.contains(['.', 'e']) { digits } else { format!("{digits}.0") };
    Some(format!("{digits}{suffix}"))
}

fn integer(value: &str, bits: u16) -> Option<String> {
    let v: i128 = value.trim().parse().ok()?;
    if v == i128::from(i64::MIN) {
        return Some("(-9223372036854775807LL - 1)".into());
    }
    if v == i128::from(i32::MIN) {
        return Some(if bits == 64 { "-2147483648LL".into() } else { "(-2147483647 - 1)".into() });
    }
    if i32::try_from(v).is_ok() {
        return Some(v.to_string());
    }
    if i64::try_from(v).is_ok() {
        return Some(format!("{v}LL"));
    }
    u64::try_from(v).ok().map(|u| format!("{u}ULL"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use xaif::model::ElemType;

    fn constant(base: BaseType, bits: u16, value: &str, spelling: &str) -> Constant {
        Constant { ty: ElemType { base, bits }, fe_type: "".into(), value: value.into(), spelling: spelling.into() }
    }

    #[test]
    fn constants_are_c() {
        let real = |bits, value, spelling| spell(&constant(BaseType::Real, bits, value, spelling), true).unwrap();
        assert_eq!(real(64, "0.1", ""), "0.1");
        assert_eq!(real(64, "2", ""), "2.0");
        assert_eq!(real(64, "1.0", "1.d0"), "1.0");
        assert_eq!(real(64, "1.0", "1."), "1.");
        assert_eq!(real(64, "0.001", "1e-3"), "1e-3");
        assert_eq!(real(32, "0.1", ""), "0.1f");
        assert_eq!(real(32, "0.1", "0.1"), "0.1f");
        assert_eq!(real(64, "0.1", "0.1f"), "0.1");
        assert_eq!(real(80, "0.1", ""), "0.1L");
        assert_eq!(real(64, "1e300", ""), "1e300");
        assert_eq!(real(64, "1.5d2", ""), "150.0");
        let integer = |value, spelling| spell(&constant(BaseType::Integer, 32, value, spelling), true).unwrap();
        assert_eq!(integer("255", "0xff"), "0xff");
        assert_eq!(integer("7", "7_8"), "7");
        assert_eq!(integer("5000000000", ""), "5000000000LL");
        assert_eq!(integer("-7", ""), "-7");
        assert_eq!(integer("-2147483648", ""), "(-2147483647 - 1)");
        assert_eq!(spell(&constant(BaseType::String, 0, "a\"b", ""), true).unwrap(), "\"a\\\"b\"");
        assert_eq!(spell(&constant(BaseType::Complex, 0, "1", ""), true), None);
    }
}
