//! Values of expressions and their conversions.
//!
//! Lives here: what an expression is worth (a typed term, a truth value, a pointer), promotions and conversions as terms. Never here: syntax.

use super::places::{LValue, Pointer};
use super::terms::{constant, conversion, op, relation};
use crate::parse::language::types::CType;
use crate::parse::text::refusals::{EXPRESSION, POINTER_VALUE, Refusal, Res};
use lang_c::span::Span;
use xaif::model::{BoolOp, Expr};

/// A value of arithmetic type.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    pub expr: Expr,
    pub ty: CType,
    /// The term is a truth value, whatever C calls its type.
    pub truth: bool,
}

/// What an expression is worth.
#[derive(Clone, Debug)]
pub(crate) enum Operand {
    Value(Value),
    Pointer(Pointer),
    /// A structure, by the place where it is.
    Structure(LValue),
    Null,
    /// Nothing (`void`).
    Void,
    /// A string, or another thing that can only be handed on: kept as text.
    Opaque,
}

impl Value {
    /// A value of a type.
    pub fn new(expr: Expr, ty: CType) -> Value {
        let truth = ty == CType::Bool;
        Value { expr, ty, truth }
    }

    /// A truth value, which C calls int.
    pub fn truth(expr: Expr) -> Value {
        Value { expr, ty: CType::INT, truth: true }
    }

    /// As a condition.
    pub fn condition(self) -> Expr {
        if self.truth {
            return self.expr;
        }
        if let Some(v) = self.expr.as_int() {
            return Expr::bool(v != 0);
        }
        let zero = if self.ty.is_real() { constant(&self.ty, "0.0", "") } else { Expr::int(0) };
        relation(BoolOp::NotEqual, [self.expr, zero])
    }

    /// As a number: truth values become 1 and 0.
    pub fn number(self) -> Value {
        if !self.truth {
            return self;
        }
        let expr = match self.expr.as_constant().map(|c| c.value.as_str()) {
            Some("true") => Expr::int(1),
            Some("false") => Expr::int(0),
            _ => op("select", "", [self.expr, Expr::int(1), Expr::int(0)]),
        };
        Value { expr, ty: CType::INT, truth: false }
    }

    /// As an operand of arithmetic: integers narrower than int become int.
    pub fn promoted(self) -> Value {
        let v = self.number();
        match &v.ty {
            CType::Int { bits, .. } if *bits < 32 => Value::new(conversion(v.expr, &CType::INT, "int"), CType::INT),
            _ => v,
        }
    }

    /// As it is stored in a variable of that type (or passed, or returned): only what changes meaning is a term.
    pub fn stored_as(self, ty: &CType) -> Expr {
        match ty {
            CType::Bool => self.condition(),
            CType::Int { .. } if self.ty.is_real() && !self.truth => conversion(self.expr, ty, &ty.spelling()),
            _ => self.number().expr,
        }
    }

    /// As an operand of exactly that floating-point type.
    pub fn real_of(self, bits: u16) -> Expr {
        let v = self.number();
        match v.ty {
            CType::Real(b) if b == bits => v.expr,
            _ => {
                let ty = CType::Real(bits);
                match v.expr.as_int() {
                    Some(n) => constant(&ty, smol_str::format_smolstr!("{n}.0"), ""),
                    None => conversion(v.expr, &ty, &ty.spelling()),
                }
            }
        }
    }
}

impl Operand {
    /// The arithmetic value.
    pub fn value(self, place: Span) -> Res<Value> {
        match self {
            Operand::Value(v) => Ok(v),
            Operand::Pointer(p) => Err(Refusal::new(POINTER_VALUE, place, format!("a pointer to {} is used as a number", p.to.describe()))),
            Operand::Structure(lv) => Err(Refusal::new(EXPRESSION, place, format!("a `{}` is used as a number", lv.ty.describe()))),
            Operand::Null => Ok(Value::new(Expr::int(0), CType::INT)),
            Operand::Void => Err(Refusal::new(EXPRESSION, place, "a void expression has no value")),
            Operand::Opaque => Err(Refusal::new(
                EXPRESSION,
                place,
                "what can only be handed on, a string or a pointer to a structure, is used as a number",
            )),
        }
    }
}
