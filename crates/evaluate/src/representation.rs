//! Intrinsics that look at how something is written: bits of integers, parts and neighbours of reals, what kinds of numbers hold, characters of texts.
//!
//! Lives here: their values; where a real comes out, it bears the derivative, which is the oracle's, though the catalogue has none. Never here: what is elementary in
//! the catalogue's sense (see [`super::scalar`]), dispatch by anything but a name.

use super::fault::{Fault, fault};
use super::intrinsics::{defined, map};
use super::scalar::{Fn1, Fn2, Scalar, value1};
use super::value::{CellType, IntKind, Operand, Value};
use smol_str::{SmolStr, format_smolstr};
use std::f64::consts::PI;
use xaif::model::BaseType;

/// What is computed of the values of one element.
type OfRow<'a, S> = dyn Fn(&[&Value<S>]) -> Result<Value<S>, Fault> + 'a;

/// Applies it; `None` where the name is not one of these.
pub(super) fn apply<S: Scalar>(name: &str, operands: &[&Operand<S>]) -> Result<Option<Operand<S>>, Fault> {
    let of = |f: &OfRow<S>| {
        map(operands, |row| {
            row.iter().try_for_each(|v| defined(v).map(|_| ()))?;
            f(row)
        })
        .map(Some)
    };
    match (name, operands.len()) {
        ("btest" | "ishft" | "shiftl" | "shiftr" | "shifta" | "ibset" | "ibclr", 2)
        | ("ishftc" | "ibits", 3)
        | ("ishftc", 2)
        | ("popcnt" | "poppar" | "leadz" | "trailz", 1) => of(&|row| bits(name, row)),
        ("exponent" | "fraction" | "spacing" | "rrspacing", 1) | ("scale" | "nearest" | "set_exponent", 2) => of(&|row| parts(name, row)),
        ("erfc_scaled", 1) => of(&|row| scaled_erfc(row[0])),
        (_, 1) if is_number_model(name) => {
            operands[0].elements().first().map(|v| number_model(name, type_of(v)?).map(Operand::One)).transpose()
        }
        ("len" | "len_trim" | "trim" | "ichar" | "iachar" | "achar" | "char" | "adjustl" | "adjustr", 1)
        | ("repeat" | "lge" | "lgt" | "lle" | "llt", 2)
        | ("index" | "verify" | "scan", 2 | 3) => of(&|row| text(name, row)),
        _ => Ok(None),
    }
}

fn type_of<S>(v: &Value<S>) -> Result<CellType, Fault> {
    let elem = match v {
        Value::Real(_, single) => xaif::model::ElemType { base: BaseType::Real, bits: if *single { 32 } else { 64 } },
        Value::Int(_, k) => xaif::model::ElemType { base: BaseType::Integer, bits: k.bits },
        _ => return Err(fault("OB6014", "a number is needed here")),
    };
    Ok(CellType { elem, unsigned: false })
}

/// Whether the name asks what a kind of numbers holds.
pub(super) fn is_number_model(name: &str) -> bool {
    matches!(name, "epsilon" | "tiny" | "huge" | "bit_size" | "digits" | "precision" | "range" | "radix" | "maxexponent" | "minexponent")
}

/// What a kind of numbers holds.
pub(super) fn number_model<S: Scalar>(name: &str, ty: CellType) -> Result<Value<S>, Fault> {
    let single = ty.is_single();
    let bits = ty.int_kind().bits;
    let real = |double: f64, short: f32| Value::Real(S::constant(if single { f64::from(short) } else { double }), single);
    Ok(match (name, ty.elem.base) {
        ("epsilon", BaseType::Real) => real(f64::EPSILON, f32::EPSILON),
        ("tiny", BaseType::Real) => real(f64::MIN_POSITIVE, f32::MIN_POSITIVE),
        ("huge", BaseType::Real) => real(f64::MAX, f32::MAX),
        ("huge", BaseType::Integer) => Value::Int(ty.int_kind().range().1, ty.int_kind()),
        ("bit_size", BaseType::Integer) => Value::Int(bits.into(), ty.int_kind()),
        ("digits", BaseType::Integer) => Value::int(i64::from(bits) - 1),
        ("range", BaseType::Integer) => Value::int(ty.int_kind().range().1.ilog10().into()),
        ("radix", BaseType::Integer | BaseType::Real) => Value::int(2),
        ("digits", BaseType::Real) => Value::int(if single { f32::MANTISSA_DIGITS } else { f64::MANTISSA_DIGITS }.into()),
        ("precision", BaseType::Real) => Value::int(if single { f32::DIGITS } else { f64::DIGITS }.into()),
        ("range", BaseType::Real) => Value::int(if single { 37 } else { 307 }),
        ("maxexponent", BaseType::Real) => Value::int(if single { f32::MAX_EXP } else { f64::MAX_EXP }.into()),
        ("minexponent", BaseType::Real) => Value::int(if single { f32::MIN_EXP } else { f64::MIN_EXP }.into()),
        _ => return Err(fault("OB6014", format!("`{name}` has no value for this type"))),
    })
}

/// The bits of an integer as a number without sign, and back.
#[derive(Clone, Copy)]
struct Word(IntKind);

impl Word {
    fn width(self) -> i128 {
        self.0.bits.clamp(1, 64).into()
    }

    fn mask(self) -> u128 {
        (1 << self.width()) - 1
    }

    fn pattern(self, x: i128) -> u128 {
        x as u128 & self.mask()
    }

    fn value<S>(self, pattern: u128) -> Value<S> {
        let x = (pattern & self.mask()) as i128;
        let (low, high) = self.0.range();
        Value::Int(if x > high { x - high + low - 1 } else { x }, self.0)
    }

    /// A number of places, from none to so many.
    fn places(self, x: i128, most: i128) -> Result<u32, Fault> {
        if !(0..=most.min(self.width())).contains(&x) {
            return Err(fault("OB6013", format!("{x} is no number of places in {} bits", self.width())));
        }
        Ok(x as u32)
    }
}

fn bits<S: Scalar>(name: &str, row: &[&Value<S>]) -> Result<Value<S>, Fault> {
    let Value::Int(x, kind) = row[0] else {
        return Err(fault("OB6014", format!("`{name}` takes an integer, not {}", row[0].describe())));
    };
    let w = Word(*kind);
    let p = w.pattern(*x);
    let argument = |k: usize| row.get(k).map_or(Ok(0), |v| v.as_int());
    let (a, b, width) = (argument(1)?, argument(2)?, w.width());
    // The leftmost place is one less than the width.
    let place = || w.places(a, width - 1);
    Ok(match name {
        "btest" => Value::Bool(p >> place()? & 1 == 1),
        "ibset" => w.value(p | 1 << place()?),
        "ibclr" => w.value(p & !(1 << place()?)),
        "ibits" => {
            let (from, length) = (w.places(a, width)?, w.places(b, width - a.clamp(0, width))?);
            w.value(p >> from & ((1 << length) - 1))
        }
        "shiftl" => w.value(p << w.places(a, width)?),
        "shiftr" => w.value(p >> w.places(a, width)?),
        "shifta" => Value::Int(x >> w.places(a, width)?, *kind),
        "ishft" if a >= 0 => w.value(p << w.places(a, width)?),
        "ishft" => w.value(p >> w.places(-a, width)?),
        "ishftc" => {
            let size = if row.len() > 2 { w.places(b, width)? } else { width as u32 };
            w.places(a.abs(), size.into())?;
            let low = (1u128 << size) - 1;
            let left = if size == 0 { 0 } else { a.rem_euclid(size.into()) as u32 };
            let turned = if left == 0 { p & low } else { ((p & low) << left | (p & low) >> (size - left)) & low };
            w.value(p & !low | turned)
        }
        "popcnt" => Value::int(p.count_ones().into()),
        "poppar" => Value::int((p.count_ones() % 2).into()),
        "leadz" => Value::int(i64::from(p.leading_zeros()) - (128 - width as i64)),
        _ => Value::int(if p == 0 { width as i64 } else { p.trailing_zeros().into() }),
    })
}

/// The exponent of a number as Fortran counts it: the fraction is from a half to one.
fn exponent(x: f64) -> i32 {
    if x == 0.0 { 0 } else { value1(Fn1::Logb, x) as i32 + 1 }
}

fn parts<S: Scalar>(name: &str, row: &[&Value<S>]) -> Result<Value<S>, Fault> {
    let Value::Real(x, single) = row[0] else {
        return Err(fault("OB6014", format!("`{name}` takes a real, not {}", row[0].describe())));
    };
    let at = x.value();
    if !at.is_finite() {
        return Err(fault("OB6014", format!("`{name}` of {at}")));
    }
    let e = exponent(at);
    let digits = if *single { 24 } else { 53 };
    let times = |power: i64| Value::Real(x.binary(&S::constant(libm::ldexp(1.0, power.clamp(-1074, 1023) as i32)), Fn2::Mul), *single);
    let whole = || row.get(1).map_or(Ok(0), |v| v.as_int()).map(|n| n.clamp(-4000, 4000) as i64);
    Ok(match name {
        "exponent" => Value::int(e.into()),
        "fraction" => times(-i64::from(e)),
        "scale" => times(whole()?),
        "set_exponent" => times(whole()? - i64::from(e)),
        "rrspacing" => {
            let Value::Real(f, _) = times(i64::from(digits - e)) else { return Ok(Value::Undefined) };
            Value::Real(f.unary(Fn1::Abs), *single)
        }
        "spacing" => {
            let least = if *single { f64::from(f32::MIN_POSITIVE) } else { f64::MIN_POSITIVE };
            let s = if at == 0.0 { least } else { libm::ldexp(1.0, e - digits).max(least) };
            Value::Real(S::constant(s), *single)
        }
        _ => {
            let up = row[1].as_scalar()?.value();
            if up == 0.0 {
                return Err(fault("OB6014", "`nearest` in no direction"));
            }
            let next = match (*single, up > 0.0) {
                (true, true) => f64::from((at as f32).next_up()),
                (true, false) => f64::from((at as f32).next_down()),
                (false, true) => at.next_up(),
                (false, false) => at.next_down(),
            };
            along(x, next, 1.0, *single)
        }
    })
}

/// A function with this value and this slope at the place of the number.
fn along<S: Scalar>(x: &S, value: f64, slope: f64, single: bool) -> Value<S> {
    let from = x.binary(&S::constant(x.value()), Fn2::Sub);
    let y = S::constant(value).binary(&from.binary(&S::constant(slope), Fn2::Mul), Fn2::Add);
    Value::Real(if single { y.to_single() } else { y }, single)
}

fn scaled_erfc<S: Scalar>(v: &Value<S>) -> Result<Value<S>, Fault> {
    let Value::Real(s, single) = v else { return Err(fault("OB6014", format!("`erfc_scaled` takes a real, not {}", v.describe()))) };
    let x = s.value();
    // Where the square of the argument would be lost, by what is left of the series for large ones.
    let y = if x < 12.0 {
        (x * x).exp() * libm::erfc(x)
    } else {
        let w = 0.5 / (x * x);
        let terms = [1.0, 3.0, 5.0, 7.0, 9.0, 11.0, 13.0, 15.0].iter().rev().fold(1.0, |s, k| 1.0 - k * w * s);
        terms / (x * PI.sqrt())
    };
    Ok(along(s, y, 2.0 * x * y - 2.0 / PI.sqrt(), *single))
}

fn text<S: Scalar>(name: &str, row: &[&Value<S>]) -> Result<Value<S>, Fault> {
    let words = |k: usize| match row[k] {
        Value::Text(t) => Ok(t.clone()),
        other => Err(fault("OB6014", format!("`{name}` takes text, not {}", other.describe()))),
    };
    if matches!(name, "achar" | "char") {
        let code = u32::try_from(row[0].as_int()?).ok().filter(|c| *c < 128).and_then(char::from_u32);
        let c = code.ok_or_else(|| fault("OB6014", format!("`{name}` of {}", row[0].describe())))?;
        return Ok(Value::Text(SmolStr::from_iter([c])));
    }
    let t = words(0)?;
    let length = t.chars().count();
    let place = |p: Option<usize>| Value::int(p.map_or(0, |p| p as i64 + 1));
    let back = row.get(2).map_or(Ok(false), |v| v.as_bool())?;
    let search = |wanted: &dyn Fn(char) -> bool| {
        let list: Vec<char> = t.chars().collect();
        place(if back { list.iter().rposition(|c| wanted(*c)) } else { list.iter().position(|c| wanted(*c)) })
    };
    Ok(match name {
        "len" => Value::int(length as i64),
        "trim" => Value::Text(t.trim_end_matches(' ').into()),
        "len_trim" => Value::int(t.trim_end_matches(' ').chars().count() as i64),
        "ichar" | "iachar" => Value::int(t.chars().next().map_or(0, |c| u32::from(c).into())),
        "adjustl" => Value::Text(format_smolstr!("{:<length$}", t.trim_start_matches(' '))),
        "adjustr" => Value::Text(format_smolstr!("{:>length$}", t.trim_end_matches(' '))),
        "repeat" => {
            let n = usize::try_from(row[1].as_int()?).ok().filter(|n| n.saturating_mul(t.len()) < 1 << 20);
            Value::Text(t.repeat(n.ok_or_else(|| fault("OB6014", "`repeat` of so many times"))?).into())
        }
        "index" => {
            let (list, part): (Vec<char>, Vec<char>) = (t.chars().collect(), words(1)?.chars().collect());
            let fits = |k: &usize| list[*k..].starts_with(&part);
            let mut places = 0..(list.len() + 1).saturating_sub(part.len());
            place(if back { places.rfind(fits) } else { places.find(fits) })
        }
        "scan" | "verify" => {
            let set = words(1)?;
            search(&|c| set.contains(c) == (name == "scan"))
        }
        _ => {
            // As if the shorter one had blanks behind it.
            let u = words(1)?;
            let padded = |s: &str| s.chars().chain(std::iter::repeat(' ')).take(length.max(u.chars().count())).collect::<Vec<_>>();
            let order = padded(&t).cmp(&padded(&u));
            Value::Bool(match name {
                "lge" => order.is_ge(),
                "lgt" => order.is_gt(),
                "lle" => order.is_le(),
                _ => order.is_lt(),
            })
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dual;

    fn one(name: &str, row: &[Value<Dual>]) -> Value<Dual> {
        let list: Vec<Operand<Dual>> = row.iter().cloned().map(Operand::One).collect();
        apply(name, &list.iter().collect::<Vec<_>>()).unwrap().unwrap().one().unwrap()
    }

    fn int(x: i64) -> Value<Dual> {
        Value::int(x)
    }

    #[test]
    fn bits_of_negative_numbers_are_those_of_the_word() {
        assert_eq!(one("ishft", &[int(-1), int(-28)]).as_int(), Ok(15));
        assert_eq!(one("ishft", &[int(1), int(31)]).as_int(), Ok(i128::from(i32::MIN)));
        assert_eq!(one("ishft", &[int(5), int(32)]).as_int(), Ok(0));
        assert_eq!(one("shifta", &[int(-8), int(2)]).as_int(), Ok(-2));
        assert_eq!(one("ishftc", &[int(0b1011), int(1), int(4)]).as_int(), Ok(0b0111));
        assert_eq!(one("ishftc", &[int(0b1_0001), int(-1), int(4)]).as_int(), Ok(0b1_1000));
        assert_eq!(one("ibits", &[int(0b11_0110), int(1), int(3)]).as_int(), Ok(0b011));
        assert_eq!(one("ibset", &[int(0), int(31)]).as_int(), Ok(i128::from(i32::MIN)));
        assert_eq!(one("leadz", &[int(1)]).as_int(), Ok(31));
        assert_eq!(one("trailz", &[int(0)]).as_int(), Ok(32));
        assert_eq!(one("popcnt", &[int(-1)]).as_int(), Ok(32));
        let row = [Operand::One(int(1)), Operand::One(int(32))];
        assert!(apply::<Dual>("btest", &row.iter().collect::<Vec<_>>()).is_err());
    }

    #[test]
    fn parts_of_reals_bear_derivatives() {
        let x = Value::Real(Dual::variable(0.15625, 0, 1), false);
        let real = |v: Value<Dual>| {
            let s = v.as_scalar().unwrap();
            (s.value(), s.derivative(0))
        };
        assert_eq!(real(one("fraction", std::slice::from_ref(&x))), (0.625, 4.0));
        assert_eq!(real(one("scale", &[x.clone(), int(3)])), (1.25, 8.0));
        assert_eq!(real(one("set_exponent", &[x.clone(), int(1)])), (1.25, 8.0));
        assert_eq!(real(one("spacing", std::slice::from_ref(&x))), (libm::ldexp(1.0, -55), 0.0));
        assert_eq!(one("exponent", std::slice::from_ref(&x)).as_int(), Ok(-2));
        let (value, slope) = real(one("erfc_scaled", std::slice::from_ref(&x)));
        assert!((value - 0.843_0).abs() < 1e-2 && (slope - (0.3125 * value - 2.0 / PI.sqrt())).abs() < 1e-12);
        let near = |x: f64| real(one("erfc_scaled", &[Value::Real(Dual::variable(x, 0, 1), false)])).0;
        assert!((near(11.999_999) - near(12.000_001)).abs() < 1e-7);
    }

    #[test]
    fn texts_are_searched_from_both_ends() {
        let t = |s: &str| Value::Text(s.into());
        assert_eq!(one("index", &[t("banana"), t("an")]).as_int(), Ok(2));
        assert_eq!(one("index", &[t("banana"), t("an"), Value::Bool(true)]).as_int(), Ok(4));
        assert_eq!(one("verify", &[t("aab"), t("a")]).as_int(), Ok(3));
        assert_eq!(one("len_trim", &[t("ab  ")]).as_int(), Ok(2));
        assert_eq!(one("adjustr", &[t("ab ")]), t(" ab"));
        assert_eq!(one("lgt", &[t("b"), t("ab")]).as_bool(), Ok(true));
        assert_eq!(one("lge", &[t("a"), t("a ")]).as_bool(), Ok(true));
    }
}
