//! What the interpreter calculates with: the scalar trait, its elementary functions, and plain reals.
//!
//! Lives here: names and values of elementary functions of reals. Never here: derivatives (see [`super::dual`]), integers, arrays,
//! and never the catalogue's partials: the interpreter is the oracle that they are checked against.

use std::fmt::Debug;

/// Elementary functions of one argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Fn1 {
    Neg,
    Abs,
    Exp,
    Ln,
    Log10,
    Sqrt,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
    Cbrt,
    Exp2,
    Expm1,
    Log1p,
    Log2,
    Erf,
    Erfc,
    Gamma,
    Lgamma,
    Digamma,
    BesselJ0,
    BesselJ1,
    BesselY0,
    BesselY1,
    Floor,
    Ceil,
    Round,
    Trunc,
    Rint,
    Logb,
}

/// Elementary functions of two arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Fn2 {
    Add,
    Sub,
    Mul,
    Div,
    Pow,
    Sign,
    Mod,
    Modulo,
    Max,
    Min,
    Dim,
    Atan2,
    Hypot,
    /// The order comes first.
    BesselJ,
    BesselY,
}

/// A number that stands for a real: with or without derivative information.
pub trait Scalar: Clone + Debug {
    /// A constant.
    fn constant(x: f64) -> Self;
    /// The real value.
    fn value(&self) -> f64;
    /// A function of one argument.
    fn unary(&self, f: Fn1) -> Self;
    /// A function of two arguments.
    fn binary(&self, other: &Self, f: Fn2) -> Self;
    /// A whole power.
    fn powi(&self, n: i64) -> Self;
    /// `self * b + c`, rounded once, to single precision if so asked.
    fn fma(&self, b: &Self, c: &Self, single: bool) -> Self;
    /// The value rounded to single precision. What carries derivatives keeps them unrounded: they are those of the exact formula.
    fn to_single(&self) -> Self;
    /// Another value with the same name: a constant made of this one's value, for functions that carry no derivative.
    fn passive(&self) -> Self {
        Self::constant(self.value())
    }
    /// True for scalars that know what lies beside a point: the questions below are put to them alone.
    const WATCHES: bool = false;
    /// Whether the order of the two is not the same on both sides of the point.
    fn crosses(&self, _other: &Self) -> bool {
        false
    }
    /// Whether a function of one argument is not smooth between both sides.
    fn kinked1(&self, _f: Fn1) -> bool {
        false
    }
    /// Whether a function of two arguments is not smooth between both sides.
    fn kinked2(&self, _other: &Self, _f: Fn2) -> bool {
        false
    }
    /// The same with a mark that everything computed from it takes over: a function that made it is not smooth. `None` where there are no marks.
    fn bent(&self) -> Option<Self> {
        None
    }
    /// What a variable holds in which it was stored: scalars that keep a record tell one variable from another of the same value.
    fn stored(&self) -> Self {
        self.clone()
    }
}

impl Scalar for f64 {
    fn constant(x: f64) -> f64 {
        x
    }
    fn value(&self) -> f64 {
        *self
    }
    fn unary(&self, f: Fn1) -> f64 {
        value1(f, *self)
    }
    fn binary(&self, other: &f64, f: Fn2) -> f64 {
        value2(f, *self, *other)
    }
    fn powi(&self, n: i64) -> f64 {
        whole_power(*self, n)
    }
    fn fma(&self, b: &f64, c: &f64, single: bool) -> f64 {
        fused(*self, *b, *c, single)
    }
    fn to_single(&self) -> f64 {
        f64::from(*self as f32)
    }
}

/// `a * b + c`, rounded once.
pub fn fused(a: f64, b: f64, c: f64, single: bool) -> f64 {
    if single { f64::from((a as f32).mul_add(b as f32, c as f32)) } else { a.mul_add(b, c) }
}

/// `x ** n`. The library's power is correctly rounded far better than repeated multiplication.
pub fn whole_power(x: f64, n: i64) -> f64 {
    match n {
        0 => 1.0,
        1 => x,
        2 => x * x,
        // Beyond 2^53 the exponent would lose its parity on the way to a real.
        n if n.unsigned_abs() < 1 << 53 => x.powf(n as f64),
        n if x == -1.0 => {
            if n % 2 == 0 {
                1.0
            } else {
                -1.0
            }
        }
        n => x.powf(n as f64),
    }
}

/// Value of a function of one argument.
pub fn value1(f: Fn1, x: f64) -> f64 {
    match f {
        Fn1::Neg => -x,
        Fn1::Abs => x.abs(),
        Fn1::Exp => x.exp(),
        Fn1::Ln => x.ln(),
        Fn1::Log10 => x.log10(),
        Fn1::Sqrt => x.sqrt(),
        Fn1::Sin => x.sin(),
        Fn1::Cos => x.cos(),
        Fn1::Tan => x.tan(),
        Fn1::Asin => x.asin(),
        Fn1::Acos => x.acos(),
        Fn1::Atan => x.atan(),
        Fn1::Sinh => x.sinh(),
        Fn1::Cosh => x.cosh(),
        Fn1::Tanh => x.tanh(),
        Fn1::Asinh => libm::asinh(x),
        Fn1::Acosh => libm::acosh(x),
        Fn1::Atanh => libm::atanh(x),
        Fn1::Cbrt => x.cbrt(),
        Fn1::Exp2 => x.exp2(),
        Fn1::Expm1 => x.exp_m1(),
        Fn1::Log1p => x.ln_1p(),
        Fn1::Log2 => x.log2(),
        Fn1::Erf => libm::erf(x),
        Fn1::Erfc => libm::erfc(x),
        Fn1::Gamma => libm::tgamma(x),
        Fn1::Lgamma => libm::lgamma(x),
        Fn1::Digamma => digamma(x),
        Fn1::BesselJ0 => libm::j0(x),
        Fn1::BesselJ1 => libm::j1(x),
        Fn1::BesselY0 => libm::y0(x),
        Fn1::BesselY1 => libm::y1(x),
        Fn1::Floor => x.floor(),
        Fn1::Ceil => x.ceil(),
        Fn1::Round => x.round(),
        Fn1::Trunc => x.trunc(),
        Fn1::Rint => x.round_ties_even(),
        Fn1::Logb => logb(x),
    }
}

/// The power of two in a number, as a real.
fn logb(x: f64) -> f64 {
    if x == 0.0 {
        return f64::NEG_INFINITY;
    }
    if !x.is_finite() {
        return x.abs();
    }
    // Numbers below the normal ones are brought up first.
    let (x, shift) = if x.is_normal() { (x, 0.0) } else { (x * 2f64.powi(64), 64.0) };
    ((x.to_bits() >> 52) & 0x7ff) as f64 - 1023.0 - shift
}

/// Value of a function of two arguments. Where both arguments of a maximum are the same, the first is returned.
pub fn value2(f: Fn2, a: f64, b: f64) -> f64 {
    match f {
        Fn2::Add => a + b,
        Fn2::Sub => a - b,
        Fn2::Mul => a * b,
        Fn2::Div => a / b,
        Fn2::Pow => a.powf(b),
        Fn2::Sign => a.copysign(b),
        Fn2::Mod => a % b,
        Fn2::Modulo => {
            let r = a % b;
            if r != 0.0 && (r < 0.0) != (b < 0.0) { r + b } else { r }
        }
        Fn2::Max => {
            if b > a || a.is_nan() {
                b
            } else {
                a
            }
        }
        Fn2::Min => {
            if b < a || a.is_nan() {
                b
            } else {
                a
            }
        }
        Fn2::Dim => {
            if a > b {
                a - b
            } else {
                0.0
            }
        }
        Fn2::Atan2 => a.atan2(b),
        Fn2::Hypot => a.hypot(b),
        Fn2::BesselJ => libm::jn(a as i32, b),
        Fn2::BesselY => libm::yn(a as i32, b),
    }
}

/// The derivative of log(gamma(x)): reflection for negative x, recurrence up to 12, asymptotic series from there.
pub fn digamma(x: f64) -> f64 {
    if x.is_nan() || x == f64::NEG_INFINITY {
        return f64::NAN;
    }
    if x <= 0.0 {
        if x == x.floor() {
            return f64::NAN;
        }
        // The tangent's argument is reduced first: pi times a large x would lose its fraction.
        let fraction = x - x.floor();
        return digamma(1.0 - x) - std::f64::consts::PI / (std::f64::consts::PI * fraction).tan();
    }
    let mut shift = 0.0;
    let mut z = x;
    while z < 12.0 {
        shift += 1.0 / z;
        z += 1.0;
    }
    // Bernoulli numbers over 2k, for 1/z^2, 1/z^4, ...
    const SERIES: [f64; 7] = [1.0 / 12.0, -1.0 / 120.0, 1.0 / 252.0, -1.0 / 240.0, 1.0 / 132.0, -691.0 / 32760.0, 1.0 / 12.0];
    let w = 1.0 / (z * z);
    let tail = SERIES.iter().rev().fold(0.0, |s, c| (s + c) * w);
    z.ln() - 0.5 / z - tail - shift
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() <= 4e-15 * b.abs().max(1.0), "{a} {b}");
    }

    #[test]
    fn digamma_has_its_known_values() {
        close(digamma(1.0), -0.577_215_664_901_532_9);
        close(digamma(0.5), -1.963_510_026_021_423_5);
        close(digamma(10.0), 2.251_752_589_066_721);
        close(digamma(-0.5), 0.036_489_973_978_576_52);
        close(digamma(0.1), -10.423_754_940_411_076);
        assert!(digamma(0.0).is_nan() && digamma(-3.0).is_nan());
    }

    #[test]
    fn special_functions_have_their_known_values() {
        close(value1(Fn1::Erf, 0.5), 0.520_499_877_813_046_5);
        close(value1(Fn1::Erfc, 2.0), 0.004_677_734_981_047_266);
        close(value1(Fn1::Gamma, 4.5), 11.631_728_396_567_448);
        close(value1(Fn1::Lgamma, 0.25), 1.288_022_524_698_077_5);
        close(value2(Fn2::Modulo, -7.0, 3.0), 2.0);
        close(value2(Fn2::Mod, -7.0, 3.0), -1.0);
        close(value2(Fn2::Modulo, 7.0, -3.0), -2.0);
        assert_eq!(whole_power(-1.0, i64::MAX), -1.0);
    }

    #[test]
    fn single_precision_is_rounded_once() {
        let a = 1.0 + f64::from(f32::EPSILON);
        assert_eq!(fused(a, a, -1.0, true), f64::from((1.0f32 + f32::EPSILON).mul_add(1.0 + f32::EPSILON, -1.0)));
        assert_eq!((0.1f64).to_single(), f64::from(0.1f32));
    }
}
