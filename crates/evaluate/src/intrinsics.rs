//! What the intrinsics of the catalogue compute, on values of any type.
//!
//! Lives here: dispatch by name, elementwise application, integer arithmetic, comparisons. Never here: derivatives (the scalar brings
//! them along), reductions (see [`super::reductions`]).

use super::data::Counters;
use super::fault::{Fault, fault};
use super::scalar::{Fn1, Fn2, Scalar};
use super::value::{CellType, IntKind, Operand, Shape, Value, truncate};
use super::{reductions, representation};
use std::cmp::Ordering;
use xaif::model::{BaseType, BoolOp, IndexOrder, Operation};

type Elem<S> = Result<Value<S>, Fault>;

fn fn1(name: &str) -> Option<Fn1> {
    Some(match name {
        "minus_scal" => Fn1::Neg,
        "abs_scal" | "iabs_scal" => Fn1::Abs,
        "exp_scal" => Fn1::Exp,
        "ln_scal" => Fn1::Ln,
        "log10" => Fn1::Log10,
        "sqrt_scal" => Fn1::Sqrt,
        "sin_scal" => Fn1::Sin,
        "cos_scal" => Fn1::Cos,
        "tan_scal" | "oad_tan_scal" => Fn1::Tan,
        "arcsin_scal" => Fn1::Asin,
        "arccos_scal" => Fn1::Acos,
        "arctan_scal" => Fn1::Atan,
        "sinh_scal" => Fn1::Sinh,
        "cosh_scal" => Fn1::Cosh,
        "tanh_scal" => Fn1::Tanh,
        "arcsinh_scal" => Fn1::Asinh,
        "arccosh_scal" => Fn1::Acosh,
        "arctanh_scal" => Fn1::Atanh,
        "cbrt_scal" => Fn1::Cbrt,
        "exp2_scal" => Fn1::Exp2,
        "expm1_scal" => Fn1::Expm1,
        "log1p_scal" => Fn1::Log1p,
        "log2_scal" => Fn1::Log2,
        "erf_scal" => Fn1::Erf,
        "erfc_scal" => Fn1::Erfc,
        "gamma_scal" => Fn1::Gamma,
        "lgamma_scal" => Fn1::Lgamma,
        "digamma_scal" => Fn1::Digamma,
        "bessel_j0_scal" => Fn1::BesselJ0,
        "bessel_j1_scal" => Fn1::BesselJ1,
        "bessel_y0_scal" => Fn1::BesselY0,
        "bessel_y1_scal" => Fn1::BesselY1,
        "floor_scal" => Fn1::Floor,
        "ceil_scal" => Fn1::Ceil,
        "round_scal" => Fn1::Round,
        "trunc_scal" => Fn1::Trunc,
        "rint_scal" => Fn1::Rint,
        "logb_scal" => Fn1::Logb,
        _ => return None,
    })
}

fn fn2(name: &str) -> Option<Fn2> {
    Some(match name {
        "add_scal_scal" => Fn2::Add,
        "sub_scal_scal" => Fn2::Sub,
        "mul_scal_scal" => Fn2::Mul,
        "div_scal_scal" => Fn2::Div,
        "pow_scal_scal" => Fn2::Pow,
        "sign_scal_scal" => Fn2::Sign,
        "mod_scal_scal" => Fn2::Mod,
        "modulo_scal_scal" => Fn2::Modulo,
        "max_scal_scal" | "nc_max_scal_scal" => Fn2::Max,
        "min_scal_scal" | "nc_min_scal_scal" => Fn2::Min,
        "dim_scal_scal" => Fn2::Dim,
        "arctan2_scal_scal" => Fn2::Atan2,
        "hypot_scal_scal" => Fn2::Hypot,
        "bessel_jn_scal_scal" => Fn2::BesselJ,
        "bessel_yn_scal_scal" => Fn2::BesselY,
        _ => return None,
    })
}

/// Applies an intrinsic to its operands.
pub(super) fn apply<S: Scalar>(
    op: &Operation,
    operands: &[&Operand<S>],
    order: IndexOrder,
    counters: &mut Counters,
) -> Result<Operand<S>, Fault> {
    let kinked = S::WATCHES && is_kinked(op, operands)?;
    let mut value = compute(op, operands, order, counters)?;
    if kinked {
        // Whole numbers and truth values bear no mark.
        if value.elements_mut().iter_mut().all(bend) {
            counters.bends += 1;
        } else {
            counters.kinks += 1;
        }
    }
    let lost = |v: &Value<S>| matches!(v, Value::Real(x, _) if !x.value().is_finite());
    let extreme = |v: &Value<S>| match v {
        Value::Real(x, single) => {
            let (x, limit) = (x.value().abs(), if *single { 1e18 } else { 1e150 });
            x != 0.0 && !(1.0 / limit..limit).contains(&x)
        }
        _ => false,
    };
    counters.extreme += value.elements().iter().filter(|v| extreme(v)).count() as u64;
    counters.not_finite += value.elements().iter().filter(|v| lost(v)).count() as u64;
    Ok(value)
}

/// Marks a real as the result of a function that is not smooth, if it can be marked.
fn bend<S: Scalar>(v: &mut Value<S>) -> bool {
    let Value::Real(x, _) = v else { return false };
    x.bent().map(|marked| *x = marked).is_some()
}

fn compute<S: Scalar>(op: &Operation, operands: &[&Operand<S>], order: IndexOrder, counters: &mut Counters) -> Result<Operand<S>, Fault> {
    let name = op.name.as_str();
    counters.operations += operands.iter().map(|o| o.elements().len()).max().unwrap_or(0) as u64;
    // An operation whose type is stated works in that type: `sinf` rounds its argument first, `sin` of a single value does not.
    let stated = op.ty.filter(|t| t.base == BaseType::Real).map(|t| t.bits == 32);
    let arity = |n: usize| {
        if operands.len() == n { Ok(()) } else { Err(fault("OB6005", format!("`{name}` takes {n} operands, not {}", operands.len()))) }
    };
    if let Some(f) = fn1(name) {
        arity(1)?;
        return map(operands, |v| unary(f, &in_type(v[0], stated), op));
    }
    if let Some(f) = fn2(name) {
        arity(2)?;
        return map(operands, |v| {
            let b = in_type(v[1], stated);
            if f == Fn2::Div && matches!(&b, Value::Real(x, _) if x.value() == 0.0) {
                counters.divisions_by_zero += 1;
            }
            binary(f, &in_type(v[0], stated), &b, op)
        });
    }
    match name {
        "plus_scal" => {
            arity(1)?;
            map(operands, |v| Ok(in_type(defined(v[0])?, stated)))
        }
        "int_scal" | "nint_scal" | "ifloor_scal" | "iceil_scal" => {
            arity(1)?;
            map(operands, |v| whole(op, v[0]))
        }
        "real_scal" => {
            arity(1)?;
            map(operands, |v| real(op, v[0]))
        }
        "fma_scal_scal_scal" => {
            arity(3)?;
            map(operands, |v| {
                let (a, b, c) = (in_type(defined(v[0])?, stated), in_type(defined(v[1])?, stated), in_type(defined(v[2])?, stated));
                let single = [&a, &b, &c].iter().all(|v| matches!(v, Value::Real(_, true)));
                Ok(Value::Real(a.as_scalar()?.fma(&b.as_scalar()?, &c.as_scalar()?, single), single))
            })
        }
        "isnan_scal" => predicate(operands, f64::is_nan),
        "isfinite_scal" => predicate(operands, f64::is_finite),
        "isinf_scal" => predicate(operands, f64::is_infinite),
        "b_and" | "b_or" | "b_xor" | "shl_scal_scal" | "shr_scal_scal" => {
            arity(2)?;
            map(operands, |v| bits(name, defined(v[0])?, defined(v[1])?))
        }
        "b_not" => {
            arity(1)?;
            map(operands, |v| complement(v[0]))
        }
        _ if name.starts_with("string_") && operands.len() == 2 => {
            relation(text_relation(name).ok_or_else(|| unknown(name))?, operands, counters)
        }
        _ => match representation::apply(name, operands)? {
            Some(found) => Ok(found),
            None => reductions::apply(name, operands, order)?.ok_or_else(|| unknown(name)),
        },
    }
}

/// How an operation rounds that makes an integer of a real.
fn rounding(name: &str) -> Option<Fn1> {
    Some(match name {
        "int_scal" => Fn1::Trunc,
        "nint_scal" => Fn1::Round,
        "ifloor_scal" => Fn1::Floor,
        "iceil_scal" => Fn1::Ceil,
        _ => return None,
    })
}

/// Conversion to an integer.
fn whole<S: Scalar>(op: &Operation, v: &Value<S>) -> Elem<S> {
    let target = CellType { elem: op.ty.unwrap_or(xaif::model::ElemType::INTEGER), unsigned: unsigned_spelling(op) };
    match defined(v)? {
        Value::Real(x, _) => {
            let f = rounding(&op.name).ok_or_else(|| unknown(&op.name))?;
            Ok(Value::Int(truncate(x.unary(f).value(), target.int_kind())?, target.int_kind()))
        }
        other => target.convert(other.clone()),
    }
}

/// Conversion to a real. Without a stated kind: the default real, which keeps what is real already.
fn real<S: Scalar>(op: &Operation, v: &Value<S>) -> Elem<S> {
    match (op.ty, defined(v)?) {
        (Some(elem), v) => CellType { elem, unsigned: false }.convert(v.clone()),
        (None, v @ Value::Real(..)) => Ok(v.clone()),
        (None, v) => Ok(Value::Real(v.as_scalar()?, false)),
    }
}

/// All bits turned round.
fn complement<S: Scalar>(v: &Value<S>) -> Elem<S> {
    match defined(v)? {
        Value::Int(x, k) => {
            let k = k.promote(*k);
            Ok(Value::Int(if k.unsigned { k.range().1 - x } else { -x - 1 }, k))
        }
        other => Ok(Value::Bool(!other.as_bool()?)),
    }
}

fn text_relation(name: &str) -> Option<BoolOp> {
    Some(match name {
        "string_eq_scal_scal" => BoolOp::Equal,
        "string_ne_scal_scal" => BoolOp::NotEqual,
        "string_ge_scal_scal" => BoolOp::GreaterOrEqual,
        "string_le_scal_scal" => BoolOp::LessOrEqual,
        "string_lt_scal_scal" => BoolOp::LessThan,
        "string_gt_scal_scal" => BoolOp::GreaterThan,
        _ => return None,
    })
}

fn unknown(name: &str) -> Fault {
    fault("OB6021", format!("the interpreter does not know the intrinsic `{name}`"))
}

/// A conversion keeps no sign in its type: its spelling is the only place that has it.
fn unsigned_spelling(op: &Operation) -> bool {
    op.spelling.contains("unsigned") || op.spelling.contains("size_t") || op.spelling.contains("uint")
}

fn in_type<S: Scalar>(v: &Value<S>, single: Option<bool>) -> Value<S> {
    match (v, single) {
        (Value::Real(x, false), Some(true)) => Value::Real(x.to_single(), true),
        (Value::Real(x, true), Some(false)) => Value::Real(x.clone(), false),
        _ => v.clone(),
    }
}

/// The element, which has to be defined.
pub(super) fn defined<S: Scalar>(v: &Value<S>) -> Result<&Value<S>, Fault> {
    match v {
        Value::Undefined => Err(fault("OB6010", "an element of an array is used before it has a value")),
        v => Ok(v),
    }
}

/// Applies a function elementwise; single elements go with every element of the arrays. An element of an array that is not there makes one that is
/// not there: a mask may leave both out.
pub(super) fn map<S: Scalar>(operands: &[&Operand<S>], mut f: impl FnMut(&[&Value<S>]) -> Elem<S>) -> Result<Operand<S>, Fault> {
    let many = operands.iter().any(|o| matches!(o, Operand::Many(..)));
    each(operands, |row| if many && row.iter().any(|v| !v.is_defined()) { Ok(Value::Undefined) } else { f(row) })
}

/// The same whether elements are there or not.
fn each<S: Scalar>(operands: &[&Operand<S>], mut f: impl FnMut(&[&Value<S>]) -> Elem<S>) -> Result<Operand<S>, Fault> {
    let mut shape: Option<&Shape> = None;
    for o in operands {
        if let Operand::Many(s, _) = o {
            match shape {
                Some(t) if t != s => {
                    return Err(fault("OB6015", format!("arrays of shapes {:?} and {:?} are combined", &t[..], &s[..])));
                }
                _ => shape = Some(s),
            }
        }
    }
    let count = match shape {
        None => 1,
        Some(s) => s.iter().product(),
    };
    let mut out = Vec::with_capacity(count);
    let mut row: Vec<&Value<S>> = Vec::with_capacity(operands.len());
    for k in 0..count {
        row.clear();
        for o in operands {
            match o {
                Operand::One(v) => row.push(v),
                Operand::Many(_, list) => row.push(list.get(k).ok_or_else(|| fault("OB6015", "an array is shorter than its shape"))?),
            }
        }
        out.push(f(&row)?);
    }
    match (shape, out.pop()) {
        (None, Some(v)) => Ok(Operand::One(v)),
        (Some(s), last) => {
            out.extend(last);
            Ok(Operand::Many(s.clone(), out))
        }
        (None, None) => Err(fault("OB6005", "an operation has no result")),
    }
}

fn round<S: Scalar>(x: S, single: bool) -> Value<S> {
    Value::Real(if single { x.to_single() } else { x }, single)
}

fn unary<S: Scalar>(f: Fn1, v: &Value<S>, op: &Operation) -> Elem<S> {
    match defined(v)? {
        Value::Real(x, single) => Ok(round(x.unary(f), *single)),
        v @ (Value::Int(..) | Value::Bool(_)) => {
            let kind = match v {
                Value::Int(_, k) => k.promote(*k),
                _ => IntKind::DEFAULT,
            };
            let x = v.as_int()?;
            match f {
                Fn1::Neg => Ok(Value::Int(kind.fit(-x)?, kind)),
                Fn1::Abs => Ok(Value::Int(kind.fit(x.abs())?, kind)),
                Fn1::Floor | Fn1::Ceil | Fn1::Round | Fn1::Trunc | Fn1::Rint if op.ty.is_none_or(|t| t.base == BaseType::Integer) => {
                    Ok(v.clone())
                }
                _ => Ok(round(v.as_scalar()?.unary(f), op.ty.is_some_and(|t| t.base == BaseType::Real && t.bits == 32))),
            }
        }
        other => Err(fault("OB6014", format!("a number is needed here, not {}", other.describe()))),
    }
}

/// A function of two numbers, in the promoted type.
pub(super) fn binary<S: Scalar>(f: Fn2, a: &Value<S>, b: &Value<S>, op: &Operation) -> Elem<S> {
    let (a, b) = (defined(a)?, defined(b)?);
    match (a, b) {
        (Value::Text(_), _) | (_, Value::Text(_)) => Err(fault("OB6014", "a number is needed here, not text")),
        (Value::Int(..) | Value::Bool(_), Value::Int(..) | Value::Bool(_))
            if !matches!(f, Fn2::Atan2 | Fn2::Hypot | Fn2::BesselJ | Fn2::BesselY) =>
        {
            if op.ty.is_some_and(|t| t.base == BaseType::Real) {
                let single = op.ty.is_some_and(|t| t.bits == 32);
                return Ok(round(a.as_scalar()?.binary(&b.as_scalar()?, f), single));
            }
            let kind = |v: &Value<S>| match v {
                Value::Int(_, k) => *k,
                _ => IntKind::DEFAULT,
            };
            let mut k = kind(a).promote(kind(b));
            if let Some(t) = op.ty.filter(|t| t.base == BaseType::Integer && t.bits > k.bits) {
                k.bits = t.bits;
            }
            integer(f, a.as_int()?, b.as_int()?, k).map(|x| Value::Int(x, k))
        }
        (Value::Real(x, single), Value::Int(n, _)) if f == Fn2::Pow => {
            let n = i64::try_from(*n).map_err(|_| fault("OB6013", "an exponent does not fit in 64 bits"))?;
            Ok(round(x.powi(n), *single))
        }
        _ => {
            let single = match (a, b) {
                (Value::Real(_, p), Value::Real(_, q)) => *p && *q,
                (Value::Real(_, p), _) | (_, Value::Real(_, p)) => *p,
                _ => op.ty.is_some_and(|t| t.bits == 32),
            };
            Ok(round(a.as_scalar()?.binary(&b.as_scalar()?, f), single))
        }
    }
}

fn integer(f: Fn2, a: i128, b: i128, kind: IntKind) -> Result<i128, Fault> {
    let nonzero = || if b == 0 { Err(fault("OB6012", "an integer is divided by zero")) } else { Ok(b) };
    let x = match f {
        Fn2::Add => a + b,
        Fn2::Sub => a - b,
        Fn2::Mul => a.checked_mul(b).ok_or_else(|| fault("OB6013", "integer overflow in a product"))?,
        Fn2::Div => a / nonzero()?,
        Fn2::Mod => a % nonzero()?,
        Fn2::Modulo => {
            let r = a % nonzero()?;
            if r != 0 && (r < 0) != (b < 0) { r + b } else { r }
        }
        Fn2::Max => a.max(b),
        Fn2::Min => a.min(b),
        Fn2::Dim => (a - b).max(0),
        Fn2::Sign => {
            if b < 0 {
                -a.abs()
            } else {
                a.abs()
            }
        }
        Fn2::Pow => whole_power(a, b, kind)?,
        Fn2::Atan2 | Fn2::Hypot | Fn2::BesselJ | Fn2::BesselY => return Err(fault("OB6005", "an integer operation is not known")),
    };
    kind.fit(x)
}

/// A power of integers: one over it where the exponent is negative, truncated.
fn whole_power(a: i128, b: i128, kind: IntKind) -> Result<i128, Fault> {
    match (a, b) {
        (1, _) => Ok(1),
        (-1, _) => Ok(if b % 2 == 0 { 1 } else { -1 }),
        (0, b) if b < 0 => Err(fault("OB6012", "zero has a negative power")),
        (_, b) if b < 0 => Ok(0),
        _ => {
            let mut p = 1i128;
            for _ in 0..b.min(200) {
                p = kind.fit(p.checked_mul(a).ok_or_else(|| fault("OB6013", "integer overflow in a power"))?)?;
                if p == 0 {
                    break;
                }
            }
            Ok(p)
        }
    }
}

fn bits<S: Scalar>(name: &str, a: &Value<S>, b: &Value<S>) -> Elem<S> {
    let kind = match (a, b) {
        (Value::Int(_, p), Value::Int(_, _)) if name.starts_with("sh") => p.promote(*p),
        (Value::Int(_, p), Value::Int(_, q)) => p.promote(*q),
        _ => IntKind::DEFAULT,
    };
    let (x, y) = (a.as_int()?, b.as_int()?);
    if name.starts_with("sh") {
        if !(0..i128::from(kind.bits)).contains(&y) {
            return Err(fault("OB6013", format!("a shift by {y} is not defined for {} bits", kind.bits)));
        }
        return kind.fit(if name == "shl_scal_scal" { x << y } else { x >> y }).map(|v| Value::Int(v, kind));
    }
    let v = match name {
        "b_and" => x & y,
        "b_or" => x | y,
        _ => x ^ y,
    };
    match (a, b) {
        (Value::Bool(_), Value::Bool(_)) => Ok(Value::Bool(v != 0)),
        _ => kind.fit(v).map(|v| Value::Int(v, kind)),
    }
}

fn predicate<S: Scalar>(operands: &[&Operand<S>], f: fn(f64) -> bool) -> Result<Operand<S>, Fault> {
    map(operands, |v| match v.first() {
        Some(v) => Ok(Value::Bool(f(defined(v)?.as_scalar()?.value()))),
        None => Err(fault("OB6005", "a predicate has no operand")),
    })
}

/// `select` with a condition that is an array.
pub(super) fn merge<S: Scalar>(operands: &[&Operand<S>]) -> Result<Operand<S>, Fault> {
    each(operands, |v| match v {
        [c, a, b] => Ok((if defined(c)?.as_bool()? { *a } else { *b }).clone()),
        _ => Err(fault("OB6005", "`select` takes three operands")),
    })
}

/// A relation or connective, elementwise.
pub(super) fn relation<S: Scalar>(op: BoolOp, operands: &[&Operand<S>], counters: &mut Counters) -> Result<Operand<S>, Fault> {
    let expected = if op == BoolOp::Not { 1 } else { 2 };
    if operands.len() != expected {
        return Err(fault("OB6005", format!("`{}` takes {expected} operands", op.name())));
    }
    map(operands, |v| {
        let a = defined(v[0])?;
        if op == BoolOp::Not {
            return Ok(Value::Bool(!a.as_bool()?));
        }
        let b = defined(v[1])?;
        if S::WATCHES && crosses(a, b) {
            counters.kinks += 1;
        }
        Ok(Value::Bool(match op {
            BoolOp::And => a.as_bool()? && b.as_bool()?,
            BoolOp::Or => a.as_bool()? || b.as_bool()?,
            BoolOp::Xor => a.as_bool()? != b.as_bool()?,
            _ => {
                let order = compare(a, b)?;
                match op {
                    BoolOp::LessThan => order == Some(Ordering::Less),
                    BoolOp::LessOrEqual => matches!(order, Some(Ordering::Less | Ordering::Equal)),
                    BoolOp::GreaterThan => order == Some(Ordering::Greater),
                    BoolOp::GreaterOrEqual => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
                    BoolOp::Equal => order == Some(Ordering::Equal),
                    _ => order != Some(Ordering::Equal),
                }
            }
        }))
    })
}

fn crosses<S: Scalar>(a: &Value<S>, b: &Value<S>) -> bool {
    let real = matches!(a, Value::Real(..)) || matches!(b, Value::Real(..));
    real && matches!((a.as_scalar(), b.as_scalar()), (Ok(x), Ok(y)) if x.crosses(&y))
}

/// Whether the operation is not smooth between both sides of its operands.
fn is_kinked<S: Scalar>(op: &Operation, operands: &[&Operand<S>]) -> Result<bool, Fault> {
    let name = op.name.as_str();
    let one = fn1(name).or_else(|| rounding(name));
    let mut found = false;
    match (one, fn2(name), operands) {
        (Some(f), _, [a]) => found = a.elements().iter().any(|v| matches!(v, Value::Real(x, _) if x.kinked1(f))),
        (_, Some(f), [_, _]) => {
            map(operands, |v| {
                let real = matches!(v[0], Value::Real(..)) || matches!(v[1], Value::Real(..));
                found |= real && matches!((v[0].as_scalar(), v[1].as_scalar()), (Ok(x), Ok(y)) if x.kinked2(&y, f));
                Ok(Value::Bool(false))
            })?;
        }
        _ if matches!(name, "maxval_arr" | "nc_maxval" | "minval_arr" | "nc_minval" | "maxloc_arr" | "minloc_arr") => {
            let list: Vec<S> = operands.iter().flat_map(|o| o.elements()).filter_map(|v| v.as_scalar().ok()).collect();
            let largest = name.contains("max");
            let better = |a: &S, b: &S| if largest { a.value() > b.value() } else { a.value() < b.value() };
            let best = list.iter().fold(None, |best: Option<&S>, v| if best.is_none_or(|b| better(v, b)) { Some(v) } else { best });
            found = best.is_some_and(|b| list.iter().any(|v| v.crosses(b)));
        }
        _ => {}
    }
    Ok(found)
}

fn compare<S: Scalar>(a: &Value<S>, b: &Value<S>) -> Result<Option<Ordering>, Fault> {
    Ok(match (a, b) {
        (Value::Text(x), Value::Text(y)) => {
            // Fortran compares as if the shorter text had blanks behind it.
            Some(x.trim_end_matches(' ').cmp(y.trim_end_matches(' ')))
        }
        (Value::Int(x, k), Value::Int(y, l)) if k.unsigned != l.unsigned => {
            let kind = k.promote(*l);
            Some(kind.fit(*x)?.cmp(&kind.fit(*y)?))
        }
        (Value::Int(..) | Value::Bool(_), Value::Int(..) | Value::Bool(_)) => Some(a.as_int()?.cmp(&b.as_int()?)),
        _ => a.as_scalar()?.value().partial_cmp(&b.as_scalar()?.value()),
    })
}
