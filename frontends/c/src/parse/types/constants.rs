//! Literals and constant integer expressions.
//!
//! Lives here: the value and type of a literal, evaluation of what C requires to be constant. Never here: code.

use crate::parse::context::state::{Binding, Lower};
use crate::parse::context::terms::constant;
use crate::parse::language::math;
use crate::parse::language::types::CType;
use crate::parse::text::refusals::{EXPRESSION, Res, refuse};
use lang_c::ast::{
    BinaryOperator as B, Constant as Literal, Expression as E, FloatBase, FloatFormat, IntegerBase, IntegerSize, UnaryOperator as U,
};
use lang_c::span::Node;
use smol_str::format_smolstr;
use xaif::model::Expr;

/// Type of an integer literal.
fn literal_type(value: u128, decimal: bool, size: IntegerSize, unsigned: bool) -> CType {
    let long = size != IntegerSize::Int;
    let fits = |bits: u32| value < (1u128 << bits);
    let (bits, unsigned) = match () {
        () if !long && !unsigned && fits(31) => (32, false),
        () if !long && (unsigned || !decimal) && fits(32) => (32, true),
        () if !unsigned && fits(63) => (64, false),
        () => (64, true),
    };
    CType::Int { bits, unsigned, char: false }
}

/// A decimal literal in the form that the model wants: digits on both sides of the point.
fn plain_decimal(number: &str) -> String {
    let (mantissa, exponent) = match number.find(['e', 'E']) {
        Some(p) => (&number[..p], Some(&number[p + 1..])),
        None => (number, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let or_zero = |s: &str| if s.is_empty() { "0".to_owned() } else { s.to_owned() };
    let mut out = format!("{}.{}", or_zero(whole), or_zero(fraction));
    if let Some(e) = exponent {
        out.push('e');
        out.push_str(e.strip_prefix('+').unwrap_or(e));
    }
    out
}

/// `1.8p3`, exactly, as long as it fits a double.
fn hexadecimal(number: &str) -> Option<f64> {
    let number = number.strip_prefix("0x").or_else(|| number.strip_prefix("0X")).unwrap_or(number);
    let (mantissa, exponent) = number.split_once(['p', 'P']).unwrap_or((number, "0"));
    let mut exponent: i32 = exponent.parse().ok()?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut bits: u128 = 0;
    for c in whole.chars().chain(fraction.chars()) {
        bits = bits.checked_mul(16)?.checked_add(u128::from(c.to_digit(16)?))?;
    }
    exponent = exponent.checked_sub(4i32.checked_mul(i32::try_from(fraction.len()).ok()?)?)?;
    if bits >= 1 << 53 {
        return None;
    }
    let value = bits as f64 * 2f64.powi(exponent.clamp(-1000, 1000)) * 2f64.powi(exponent - exponent.clamp(-1000, 1000));
    Some(value)
}

/// The value of a character literal.
fn character(text: &str) -> Option<i64> {
    let inner = text.strip_prefix('\'')?.strip_suffix('\'')?;
    let mut chars = inner.chars();
    let value = match chars.next()? {
        '\\' => {
            let rest = chars.as_str();
            let c = rest.chars().next()?;
            let simple = match c {
                'n' => 10,
                't' => 9,
                'r' => 13,
                'a' => 7,
                'b' => 8,
                'f' => 12,
                'v' => 11,
                '\\' | '\'' | '"' | '?' => c as i64,
                'x' => return i64::from_str_radix(&rest[1..], 16).ok(),
                '0'..='7' => return i64::from_str_radix(rest, 8).ok(),
                _ => return None,
            };
            chars.next();
            simple
        }
        c if c.is_ascii() => c as i64,
        _ => return None,
    };
    chars.next().is_none().then_some(value)
}

fn integer_value(i: &lang_c::ast::Integer) -> Option<u128> {
    let (radix, digits) = match i.base {
        IntegerBase::Decimal => (10, &*i.number),
        IntegerBase::Octal => (8, &*i.number),
        IntegerBase::Hexadecimal => (16, &*i.number),
        IntegerBase::Binary => (2, &*i.number),
    };
    if digits.is_empty() {
        return Some(0);
    }
    u128::from_str_radix(digits, radix).ok()
}

/// The value of a name that a macro of a standard header gives where nothing was preprocessed.
fn builtin_integer(name: &str) -> Option<i128> {
    match name {
        "true" => Some(1),
        "false" => Some(0),
        _ => math::builtin_macro(name).and_then(|(ty, v)| if ty.is_integer() { v.parse().ok() } else { None }),
    }
}

/// What an operator makes of two constants.
fn combined(operator: &B, x: i128, y: i128) -> Option<i128> {
    let shift = u32::try_from(y).ok().filter(|&s| s < 64);
    let value = match operator {
        B::Multiply => x.checked_mul(y)?,
        B::Divide => x.checked_div(y)?,
        B::Modulo => x.checked_rem(y)?,
        B::Plus => x.checked_add(y)?,
        B::Minus => x.checked_sub(y)?,
        B::ShiftLeft => x.checked_mul(1i128.checked_shl(shift?)?)?,
        B::ShiftRight => x >> shift?,
        B::Less => i128::from(x < y),
        B::Greater => i128::from(x > y),
        B::LessOrEqual => i128::from(x <= y),
        B::GreaterOrEqual => i128::from(x >= y),
        B::Equals => i128::from(x == y),
        B::NotEquals => i128::from(x != y),
        B::BitwiseAnd => x & y,
        B::BitwiseXor => x ^ y,
        B::BitwiseOr => x | y,
        B::LogicalAnd => i128::from(x != 0 && y != 0),
        B::LogicalOr => i128::from(x != 0 || y != 0),
        _ => return None,
    };
    // Values that no type of C has are none of ours.
    (value.unsigned_abs() <= u128::from(u64::MAX)).then_some(value)
}

impl Lower<'_> {
    /// A literal.
    pub fn literal(&self, node: &Node<Literal>) -> Res<(Expr, CType)> {
        let spelling = self.text.get(node.span.start..node.span.end).unwrap_or_default();
        match &node.node {
            Literal::Integer(i) => {
                let value = integer_value(i).filter(|&v| v <= u128::from(u64::MAX) && !i.suffix.imaginary);
                let Some(value) = value else { return refuse(EXPRESSION, node, "this integer constant has no type") };
                let ty = literal_type(value, i.base == IntegerBase::Decimal, i.suffix.size, i.suffix.unsigned);
                let decimal = format_smolstr!("{value}");
                let spelling = if spelling == decimal { "" } else { spelling };
                Ok((constant(&ty, decimal, spelling), ty))
            }
            Literal::Float(f) => {
                let ty = match &f.suffix.format {
                    FloatFormat::Float => CType::Real(32),
                    FloatFormat::Double => CType::Real(64),
                    FloatFormat::LongDouble => CType::Real(80),
                    FloatFormat::TS18661Format(t) if t.width == 64 => CType::Real(64),
                    FloatFormat::TS18661Format(t) if t.width == 32 => CType::Real(32),
                    FloatFormat::TS18661Format(t) if t.width == 128 => CType::Real(128),
                    FloatFormat::TS18661Format(_) => return refuse(EXPRESSION, node, "a constant of this format is not supported"),
                };
                if f.suffix.imaginary {
                    return refuse(EXPRESSION, node, "imaginary constants are not supported");
                }
                let value = match f.base {
                    FloatBase::Decimal => plain_decimal(&f.number),
                    FloatBase::Hexadecimal => match hexadecimal(&f.number) {
                        Some(v) => format!("{v:?}"),
                        None => return refuse(EXPRESSION, node, "this hexadecimal constant has more digits than a double"),
                    },
                };
                Ok((constant(&ty, value, spelling), ty))
            }
            Literal::Character(text) => match character(text) {
                Some(value) => Ok((constant(&CType::INT, format_smolstr!("{value}"), spelling), CType::INT)),
                None => refuse(EXPRESSION, node, "this character constant is not supported"),
            },
        }
    }

    /// The value of a constant integer expression, if it is one.
    pub fn constant_integer(&mut self, e: &Node<E>) -> Option<i128> {
        match &e.node {
            E::Constant(c) => match &c.node {
                Literal::Integer(i) => integer_value(i).and_then(|v| i128::try_from(v).ok()),
                Literal::Character(text) => character(text).map(i128::from),
                Literal::Float(_) => None,
            },
            E::Identifier(i) => match self.find(&i.node.name) {
                Some(Binding::Enumerator { value, .. }) => Some(i128::from(*value)),
                Some(Binding::Variable(v)) => v.value,
                Some(_) => None,
                None if self.builtin_macros => builtin_integer(&i.node.name),
                None => None,
            },
            E::SizeOfTy(t) => {
                let (ty, _) = self.type_name(&t.node.0).ok()?;
                self.layout(&ty).map(|(n, _)| i128::from(n))
            }
            E::SizeOfVal(v) => {
                let ty = self.type_of(&v.node.0)?;
                self.layout(&ty).map(|(n, _)| i128::from(n))
            }
            E::Cast(c) => {
                let value = self.constant_integer(&c.node.expression)?;
                match self.type_name(&c.node.type_name).ok()?.0 {
                    CType::Bool => Some(i128::from(value != 0)),
                    CType::Int { bits, unsigned, .. } => {
                        let kept = value & ((1i128 << bits) - 1);
                        Some(if !unsigned && kept >> (bits - 1) == 1 { kept - (1i128 << bits) } else { kept })
                    }
                    _ => None,
                }
            }
            E::UnaryOperator(u) => {
                let value = self.constant_integer(&u.node.operand)?;
                match u.node.operator.node {
                    U::Plus => Some(value),
                    U::Minus => Some(-value),
                    U::Negate => Some(i128::from(value == 0)),
                    U::Complement => Some(!value),
                    _ => None,
                }
            }
            E::Conditional(c) => {
                let then = self.constant_integer(&c.node.condition)? != 0;
                self.constant_integer(if then { &c.node.then_expression } else { &c.node.else_expression })
            }
            E::BinaryOperator(b) => {
                let x = self.constant_integer(&b.node.lhs)?;
                let y = self.constant_integer(&b.node.rhs)?;
                combined(&b.node.operator.node, x, y)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_have_plain_values() {
        assert_eq!(plain_decimal("1."), "1.0");
        assert_eq!(plain_decimal(".5"), "0.5");
        assert_eq!(plain_decimal("1e+10"), "1.0e10");
        assert_eq!(hexadecimal("0x1.8p3"), Some(12.0));
        assert_eq!(character("'a'"), Some(97));
        assert_eq!(character("'\\n'"), Some(10));
        assert_eq!(character("'\\0'"), Some(0));
        assert_eq!(literal_type(1 << 31, true, IntegerSize::Int, false), CType::LONG);
        assert_eq!(literal_type(1 << 31, false, IntegerSize::Int, false), CType::Int { bits: 32, unsigned: true, char: false });
    }
}
