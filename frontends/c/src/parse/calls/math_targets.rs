//! Functions of the mathematical library that set what an argument points to: `frexp`, `modf`, `remquo`, `sincos`.
//!
//! Lives here: these calls in terms of intrinsics and assignments. Never here: functions that only have a value (see `math_calls`).

use crate::parse::context::places::LValue;
use crate::parse::context::state::{Binding, Lower};
use crate::parse::context::terms::{constant, conversion, difference, op, relation};
use crate::parse::context::values::{Operand, Value};
use crate::parse::language::math;
use crate::parse::language::types::CType;
use crate::parse::text::refusals::{CALL, Res, refuse};
use lang_c::ast::Expression as E;
use lang_c::span::Node;
use xaif::model::{BoolOp, Expr};

impl<'a> Lower<'a> {
    /// A call of such a function; `None` for others, and for the program's own ones.
    pub fn math_with_targets(&mut self, e: &'a Node<E>, name: &str, arguments: &'a [Node<E>]) -> Res<Option<Operand>> {
        let (own, from_header) = match self.find(name) {
            Some(Binding::Function(f)) => (f.defined, f.system),
            Some(_) => (false, false),
            None => (false, self.builtin_macros),
        };
        if own {
            return Ok(None);
        }
        let done = match arguments {
            [x, part] => match (math::parting(name), math::splitting(name)) {
                (Some(bits), _) => self.modf(e, bits, x, part),
                (_, Some(bits)) => self.frexp(e, bits, x, part),
                _ => return Ok(None),
            },
            [x, second, third] => match (math::quotient(name), math::sine_and_cosine(name)) {
                (Some(bits), _) => self.remquo(e, bits, [x, second], third),
                // A program may have another function of this name, which is not the language's.
                (_, Some(bits)) if from_header || name.starts_with("__builtin_") => self.sincos(e, bits, x, [second, third]),
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        done.map(Some)
    }

    /// A number that is used more than once.
    fn number_once(&mut self, name: &str, e: &'a Node<E>, ty: &CType, bits: u16) -> Res<Expr> {
        let value = self.value(e)?.real_of(bits);
        Ok(Expr::sym(self.keep(name, value, ty, e.span)))
    }

    /// What an argument points to, which must be of this type.
    fn set_through(&mut self, name: &str, part: &'a Node<E>, ty: &CType) -> Res<LValue> {
        let p = self.pointer(part)?;
        let to = self.target(p, part.span)?;
        if to.ty != *ty {
            return refuse(CALL, part, format!("this argument of `{name}` must point to {}", ty.describe()));
        }
        Ok(to)
    }

    /// `sincos`: sine and cosine go to the second and the third argument.
    fn sincos(&mut self, e: &'a Node<E>, bits: u16, value: &'a Node<E>, parts: [&'a Node<E>; 2]) -> Res<Operand> {
        self.check_order(e, &[value, parts[0], parts[1]])?;
        let ty = CType::Real(bits);
        let x = self.number_once("angle", value, &ty, bits)?;
        let sine = self.set_through("sincos", parts[0], &ty)?;
        let cosine = self.set_through("sincos", parts[1], &ty)?;
        let of = |operation, name: &str| op(operation, &math::suffixed(name, bits), [x.clone()]);
        self.emit_part(sine.reference(), of("sin_scal", "sin"), e.span, true);
        self.emit_part(cosine.reference(), of("cos_scal", "cos"), e.span, false);
        Ok(Operand::Void)
    }

    /// `remquo`: the remainder is the value; the sign and the last three bits of the quotient, which are what the language promises, go to the third argument.
    fn remquo(&mut self, e: &'a Node<E>, bits: u16, values: [&'a Node<E>; 2], part: &'a Node<E>) -> Res<Operand> {
        self.check_order(e, &[values[0], values[1], part])?;
        let ty = CType::Real(bits);
        let x = self.number_once("dividend", values[0], &ty, bits)?;
        let y = self.number_once("divisor", values[1], &ty, bits)?;
        let to = self.set_through("remquo", part, &CType::INT)?;
        let rest = self.remainder(e, bits, x.clone(), y.clone())?.expr;
        let rest = Expr::sym(self.keep("remainder", rest, &ty, e.span));
        let number = |v| constant(&ty, v, "");
        let abs = |a: Expr| op("abs_scal", &math::suffixed("fabs", bits), [a]);
        let fmod = |a: Expr, b: Expr| op("mod_scal_scal", &math::suffixed("fmod", bits), [a, b]);
        let below = |a: &Expr| relation(BoolOp::LessThan, [a.clone(), number("0.0")]);
        let opposite = |a: Expr| op("minus_scal", "", [a]);
        // |x| modulo 8|y| is exact, and so is what is left of it by the remainder: a multiple of |y|, of 0 to 8 of them.
        let eights = fmod(abs(x.clone()), op("mul_scal_scal", "", [number("8.0"), abs(y.clone())]));
        let left = op("select", "", [below(&x), opposite(rest.clone()), rest.clone()]);
        let multiple = op("div_scal_scal", "", [op("sub_scal_scal", "", [eights, left]), abs(y.clone())]);
        let count = fmod(op("rint_scal", &math::suffixed("rint", bits), [multiple]), number("8.0"));
        let signed = op("select", "", [relation(BoolOp::NotEqual, [below(&x), below(&y)]), opposite(count.clone()), count]);
        self.emit_assignment(to.reference(), conversion(signed, &CType::INT, "int"), e.span);
        Ok(Operand::Value(Value::new(rest, ty)))
    }

    /// `frexp`: the exponent goes to the second argument, and the fraction is the value.
    fn frexp(&mut self, e: &'a Node<E>, bits: u16, value: &'a Node<E>, part: &'a Node<E>) -> Res<Operand> {
        self.check_order(e, &[value, part])?;
        let ty = CType::Real(bits);
        let x = Value::new(self.value(value)?.real_of(bits), ty.clone());
        let x = Expr::sym(self.keep("number", x.expr, &ty, e.span));
        let p = self.pointer(part)?;
        let to = self.target(p, part.span)?;
        if to.ty != CType::INT {
            return refuse(CALL, e, "the second argument of `frexp` must point to an int");
        }
        let power = conversion(op("logb_scal", &math::suffixed("logb", bits), [x.clone()]), &CType::INT, "int");
        let zero = relation(BoolOp::Equal, [x.clone(), constant(&ty, "0.0", "")]);
        let power = op("select", "", [zero, Expr::int(0), op("add_scal_scal", "", [power, Expr::int(1)])]);
        let power = Expr::sym(self.keep("exponent", power, &CType::INT, e.span));
        let exp2 = &math::suffixed("exp2", bits);
        let half = op("div_scal_scal", "", [power.clone(), Expr::int(2)]);
        let rest = difference(power.clone(), half.clone());
        let down = |n: Expr| op("exp2_scal", exp2, [op("minus_scal", "", [conversion(n, &ty, &ty.spelling())])]);
        let fraction = op("mul_scal_scal", "", [op("mul_scal_scal", "", [x, down(half)]), down(rest)]);
        let fraction = self.keep("fraction", fraction, &ty, e.span);
        self.emit_assignment(to.reference(), power, e.span);
        Ok(Operand::Value(Value::new(Expr::sym(fraction), ty)))
    }

    /// `modf`: what stands before the point goes to the second argument, and the rest is the value.
    fn modf(&mut self, e: &'a Node<E>, bits: u16, value: &'a Node<E>, part: &'a Node<E>) -> Res<Operand> {
        self.check_order(e, &[value, part])?;
        let ty = CType::Real(bits);
        let x = Value::new(self.value(value)?.real_of(bits), ty.clone());
        let x = Expr::sym(self.keep("whole", x.expr, &ty, e.span));
        let whole = match bits {
            32 => "truncf",
            64 => "trunc",
            _ => "truncl",
        };
        let p = self.pointer(part)?;
        let to = self.target(p, part.span)?;
        if to.ty != ty {
            return refuse(CALL, e, "the second argument of `modf` has another type than its value");
        }
        let whole = op("trunc_scal", whole, [x.clone()]);
        let rest = self.keep("rest", op("sub_scal_scal", "", [x, whole.clone()]), &ty, e.span);
        self.emit_assignment(to.reference(), whole, e.span);
        Ok(Operand::Value(Value::new(Expr::sym(rest), ty)))
    }
}
