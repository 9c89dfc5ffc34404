//! Calls of the mathematical library, in terms of intrinsics.
//!
//! Lives here: functions with an intrinsic of their own, and those that are made of others. Never here: names (see `math`), functions that set what an argument points to
//! (see `math_targets`), other calls.

use crate::parse::context::state::Lower;
use crate::parse::context::terms::{constant, conversion, difference, op, relation, term};
use crate::parse::context::values::Value;
use crate::parse::language::math::{self, MathResult};
use crate::parse::language::types::CType;
use crate::parse::text::refusals::{CALL, Refusal, Res, refuse};
use lang_c::ast::Expression as E;
use lang_c::span::Node;
use smol_str::SmolStr;
use xaif::model::{BoolOp, Expr, NodeKind, Operation};

/// A value as a real number: compilers ask these things of no integers.
fn real(v: Value) -> Expr {
    if v.ty.is_real() && !v.truth { v.number().expr } else { v.real_of(64) }
}

/// Whether a number of that type is not below the normal ones.
fn at_least_normal(v: &Expr, width: CType) -> Expr {
    let (ty, least, abs) = match width {
        CType::Real(32) => (width, "1.17549435082228750797e-38", "fabsf"),
        CType::Real(80) => (width, "3.36210314311209350626e-4932", "fabsl"),
        _ => (CType::Real(64), "2.22507385850720138309e-308", "fabs"),
    };
    relation(BoolOp::GreaterOrEqual, [op("abs_scal", abs, [v.clone()]), constant(&ty, least, "")])
}

/// What a macro asks of its arguments; nothing where their number is wrong.
fn question(q: math::Question, values: Vec<Value>) -> Option<Value> {
    let width = values.last().map(|v| v.ty.clone());
    let kinds = values.len().saturating_sub(1);
    let list: Vec<Expr> =
        (0..).zip(values).map(|(k, v)| if q == math::Question::Kind && k < kinds { v.number().expr } else { real(v) }).collect();
    let is = |name, spelling, v: &Expr| op(name, spelling, [v.clone()]);
    Some(Value::truth(match (q, &list[..]) {
        (math::Question::Unordered, [a, b]) => relation(BoolOp::Or, [is("isnan_scal", "isnan", a), is("isnan_scal", "isnan", b)]),
        (math::Question::Unequal, [a, b]) => {
            let less = |a: &Expr, b: &Expr| relation(BoolOp::LessThan, [a.clone(), b.clone()]);
            relation(BoolOp::Or, [less(a, b), less(b, a)])
        }
        (math::Question::Normal, [v]) => relation(BoolOp::And, [is("isfinite_scal", "isfinite", v), at_least_normal(v, width?)]),
        (math::Question::Kind, [nan, infinite, normal, subnormal, zero, v]) => {
            let select = |c: Expr, a: &Expr, b: Expr| op("select", "", [c, a.clone(), b]);
            let null = relation(BoolOp::Equal, [v.clone(), constant(&CType::Real(64), "0.0", "")]);
            let small = select(null, zero, subnormal.clone());
            let finite = select(at_least_normal(v, width?), normal, small);
            let value = select(is("isinf_scal", "isinf", v), infinite, finite);
            return Some(Value::new(select(is("isnan_scal", "isnan", v), nan, value), CType::INT));
        }
        _ => return None,
    }))
}

/// A function that has an intrinsic of its own.
fn intrinsic(f: math::MathFunction, name: &str, values: Vec<Value>) -> Value {
    let spelling = name.strip_prefix("__builtin_").unwrap_or(name);
    let mut operands = Vec::with_capacity(values.len());
    for (k, v) in values.into_iter().enumerate() {
        // The exponent of a power stays an integer: the value is the same and the derivative simpler.
        let exponent = f.op == "pow_scal_scal" && k == 1 && !v.truth && v.ty.is_integer();
        let order = k == 0 && f.arity == 2 && math::bessel(name).is_some();
        operands.push(match (exponent, order) {
            (true, _) => v.promoted().expr,
            (_, true) => v.stored_as(&CType::INT),
            _ => v.real_of(f.bits),
        });
    }
    match f.result {
        MathResult::Same => Value::new(op(f.op, spelling, operands), CType::Real(f.bits)),
        MathResult::Integer(bits) => {
            let ty = CType::Int { bits, unsigned: false, char: false };
            let kind = NodeKind::Op(Operation { name: SmolStr::new_static(f.op), ty: Some(ty.elem()), spelling: spelling.into() }.into());
            Value::new(term(kind, operands), ty)
        }
    }
}

impl<'a> Lower<'a> {
    /// A call of the mathematical library, by its name.
    pub fn math_call(&mut self, e: &'a Node<E>, name: &str, arguments: &'a [Node<E>]) -> Res<Value> {
        if let Some((value, bits, spelling)) = math::special(name) {
            let ty = CType::Real(bits);
            return Ok(Value::new(constant(&ty, value, spelling), ty));
        }
        let parts: Vec<&Node<E>> = arguments.iter().collect();
        self.check_order(e, &parts)?;
        if name == "__builtin_expect"
            && let [value, _] = arguments
        {
            return self.value(value);
        }
        if name == "__builtin_constant_p" {
            return Ok(Value::new(Expr::int(0), CType::INT));
        }
        let mut values = Vec::with_capacity(arguments.len());
        for a in arguments {
            values.push(self.value(a)?);
        }
        self.of_numbers(e, name, values)
    }

    /// A function of the library, of numbers.
    fn of_numbers(&mut self, e: &'a Node<E>, name: &str, values: Vec<Value>) -> Res<Value> {
        let wrong = |n: usize| Refusal::new(CALL, e.span, format!("`{name}` takes {n} argument{}", if n == 1 { "" } else { "s" }));
        if let Some((name, spelling)) = math::classification(name) {
            let [v] = <[Value; 1]>::try_from(values).map_err(|_| wrong(1))?;
            return Ok(Value::truth(op(name, spelling, [real(v)])));
        }
        if let Some(r) = math::relation(name) {
            let [a, b] = <[Value; 2]>::try_from(values).map_err(|_| wrong(2))?;
            return Ok(Value::truth(relation(r, [a.number().expr, b.number().expr])));
        }
        if let Some(q) = math::question(name) {
            let count = match q {
                math::Question::Normal => 1,
                math::Question::Kind => 6,
                math::Question::Unordered | math::Question::Unequal => 2,
            };
            return question(q, values).ok_or_else(|| wrong(count));
        }
        if let Some(bits) = math::power_of_ten(name) {
            let [x] = <[Value; 1]>::try_from(values).map_err(|_| wrong(1))?;
            let ten = Value::new(constant(&CType::Real(64), "10.0", ""), CType::Real(64)).real_of(bits);
            return Ok(Value::new(op("pow_scal_scal", &math::suffixed("pow", bits), [ten, x.real_of(bits)]), CType::Real(bits)));
        }
        if let Some(bits) = math::integer_abs(name) {
            let [v] = <[Value; 1]>::try_from(values).map_err(|_| wrong(1))?;
            let ty = CType::Int { bits, unsigned: false, char: false };
            let v = v.promoted();
            let arg = if v.ty.elem() == ty.elem() { v.expr } else { conversion(v.expr, &ty, &ty.spelling()) };
            return Ok(Value::new(op("abs_scal", name, [arg]), ty));
        }
        if let Some(bits) = math::scaling(name) {
            let [v, n] = <[Value; 2]>::try_from(values).map_err(|_| wrong(2))?;
            return Ok(self.scaled(e, bits, v.real_of(bits), n.promoted().expr));
        }
        if let Some(bits) = math::remainder(name) {
            let [x, y] = <[Value; 2]>::try_from(values).map_err(|_| wrong(2))?;
            return self.remainder(e, bits, x.real_of(bits), y.real_of(bits));
        }
        if let Some((other, operation, bits, width)) = math::whole(name) {
            let [x] = <[Value; 1]>::try_from(values).map_err(|_| wrong(1))?;
            let ty = CType::Int { bits: width, unsigned: false, char: false };
            let value = op(operation, &math::suffixed(other, bits), [x.real_of(bits)]);
            return Ok(Value::new(conversion(value, &ty, &ty.spelling()), ty));
        }
        if math::is_sign(name) {
            let [x] = <[Value; 1]>::try_from(values).map_err(|_| wrong(1))?;
            let one = constant(&CType::Real(64), "1.0", "");
            let sign = op("sign_scal_scal", "copysign", [one, x.real_of(64)]);
            return Ok(Value::truth(relation(BoolOp::LessThan, [sign, constant(&CType::Real(64), "0.0", "")])));
        }
        let Some(f) = math::function(name).or_else(|| math::bessel(name)) else { return refuse(CALL, e, format!("`{name}` is not known")) };
        if values.len() != f.arity {
            return Err(wrong(f.arity));
        }
        Ok(intrinsic(f, name, values))
    }

    /// `ldexp` and its kin: a number times a power of two.
    fn scaled(&mut self, e: &'a Node<E>, bits: u16, v: Expr, n: Expr) -> Value {
        let exp2 = &math::suffixed("exp2", bits);
        let ty = CType::Real(bits);
        let times = |v: Expr, n: Expr| {
            let power = op("exp2_scal", exp2, [Value::new(n, CType::INT).real_of(bits)]);
            op("mul_scal_scal", "", [v, power])
        };
        // Powers of two that a factor holds; all others in two steps, so that the factor cannot overflow where the result does not.
        if n.as_int().is_some_and(|n| n.abs() <= 100) {
            return Value::new(times(v, n), ty);
        }
        let n = match n.as_var() {
            Some(_) => n,
            None => Expr::sym(self.keep("power", n, &CType::LONG, e.span)),
        };
        let half = op("div_scal_scal", "", [n.clone(), Expr::int(2)]);
        let rest = difference(n, half.clone());
        Value::new(times(times(v, half), rest), ty)
    }

    /// `remainder`: what `fmod` leaves, less one more divisor where that is nearer to 0 (at a tie, where the quotient is odd).
    pub fn remainder(&mut self, e: &'a Node<E>, bits: u16, x: Expr, y: Expr) -> Res<Value> {
        let ty = CType::Real(bits);
        let kept = |l: &mut Self, name: &str, v: Expr| match v.as_var() {
            Some(r) if r.subscripts.is_empty() => v,
            _ => Expr::sym(l.keep(name, v, &ty, e.span)),
        };
        let (x, y) = (kept(self, "dividend", x), kept(self, "divisor", y));
        let fmod = |a: Expr, b: Expr| op("mod_scal_scal", &math::suffixed("fmod", bits), [a, b]);
        let abs = |a: Expr| op("abs_scal", &math::suffixed("fabs", bits), [a]);
        let twice = |a: Expr| op("mul_scal_scal", "", [constant(&ty, "2.0", ""), a]);
        let rest = Expr::sym(self.keep("rest", fmod(x.clone(), y.clone()), &ty, e.span));
        let nearer = relation(BoolOp::GreaterThan, [twice(abs(rest.clone())), abs(y.clone())]);
        let tie = relation(BoolOp::Equal, [twice(abs(rest.clone())), abs(y.clone())]);
        let odd = relation(BoolOp::GreaterThan, [abs(fmod(x, twice(y.clone()))), abs(y.clone())]);
        let more = relation(BoolOp::Or, [nearer, relation(BoolOp::And, [tie, odd])]);
        let step = op("sign_scal_scal", &math::suffixed("copysign", bits), [y, rest.clone()]);
        let value = op("select", "", [more, op("sub_scal_scal", "", [rest.clone(), step]), rest]);
        Ok(Value::new(value, ty))
    }
}
