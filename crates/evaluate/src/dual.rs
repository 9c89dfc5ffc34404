//! Dual numbers: a value and its derivatives in any number of directions.
//!
//! Lives here: the derivative rules of the elementary functions, written from mathematics. Never here: anything taken from the
//! intrinsic catalogue, whose partials these rules are there to check.

use super::scalar::{Fn1, Fn2, Scalar, digamma, fused, value1, value2, whole_power};
use smallvec::SmallVec;

/// A value with derivatives. No directions at all stand for zero in every direction.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Dual {
    /// The value.
    pub v: f64,
    /// The derivatives; empty: a constant.
    pub d: SmallVec<[f64; 4]>,
}

impl Dual {
    /// The variable of direction `k` of `n`.
    pub fn variable(v: f64, k: usize, n: usize) -> Dual {
        Dual { v, d: (0..n).map(|i| if i == k { 1.0 } else { 0.0 }).collect() }
    }

    /// A value with given derivatives.
    pub fn new(v: f64, d: impl IntoIterator<Item = f64>) -> Dual {
        Dual { v, d: d.into_iter().collect() }
    }

    /// The derivative in direction `k`.
    pub fn derivative(&self, k: usize) -> f64 {
        self.d.get(k).copied().unwrap_or(0.0)
    }

    /// A value that depends on this one with that slope. A direction in which nothing moves stays unmoved, also where the slope is infinite.
    fn chain(&self, v: f64, slope: impl FnOnce() -> f64) -> Dual {
        if self.d.is_empty() {
            return Dual::constant(v);
        }
        let s = slope();
        Dual { v, d: self.d.iter().map(|&t| times(s, t)).collect() }
    }

    fn chain2(&self, other: &Dual, v: f64, slope_a: impl FnOnce() -> f64, slope_b: impl FnOnce() -> f64) -> Dual {
        match (self.d.is_empty(), other.d.is_empty()) {
            (true, true) => Dual::constant(v),
            (false, true) => self.chain(v, slope_a),
            (true, false) => other.chain(v, slope_b),
            (false, false) => {
                let (p, q) = (slope_a(), slope_b());
                let n = self.d.len().max(other.d.len());
                Dual { v, d: (0..n).map(|k| times(p, self.derivative(k)) + times(q, other.derivative(k))).collect() }
            }
        }
    }
}

fn times(slope: f64, t: f64) -> f64 {
    if t == 0.0 { 0.0 } else { slope * t }
}

impl Scalar for Dual {
    fn constant(x: f64) -> Dual {
        Dual { v: x, d: SmallVec::new() }
    }
    fn value(&self) -> f64 {
        self.v
    }
    fn unary(&self, f: Fn1) -> Dual {
        self.chain(value1(f, self.v), || slope1(f, self.v))
    }
    fn binary(&self, other: &Dual, f: Fn2) -> Dual {
        let (a, b) = (self.v, other.v);
        self.chain2(other, value2(f, a, b), || slope2a(f, a, b), || slope2b(f, a, b))
    }
    fn powi(&self, n: i64) -> Dual {
        self.chain(whole_power(self.v, n), || if n == 0 { 0.0 } else { n as f64 * whole_power(self.v, n - 1) })
    }
    fn fma(&self, b: &Dual, c: &Dual, single: bool) -> Dual {
        let product = self.binary(b, Fn2::Mul).binary(c, Fn2::Add);
        Dual { v: fused(self.v, b.v, c.v, single), d: product.d }
    }
    fn to_single(&self) -> Dual {
        Dual { v: self.v.to_single(), d: self.d.clone() }
    }
}

/// df/dx.
pub(super) fn slope1(f: Fn1, x: f64) -> f64 {
    use std::f64::consts::{LN_2, LN_10, PI};
    match f {
        Fn1::Neg => -1.0,
        Fn1::Abs => {
            if x < 0.0 {
                -1.0
            } else {
                1.0
            }
        }
        Fn1::Exp => x.exp(),
        Fn1::Ln => 1.0 / x,
        Fn1::Log10 => 1.0 / (x * LN_10),
        Fn1::Log2 => 1.0 / (x * LN_2),
        Fn1::Log1p => 1.0 / (1.0 + x),
        Fn1::Exp2 => x.exp2() * LN_2,
        Fn1::Expm1 => x.exp(),
        Fn1::Sqrt => 0.5 / x.sqrt(),
        Fn1::Cbrt => {
            let r = x.cbrt();
            1.0 / (3.0 * r * r)
        }
        Fn1::Sin => x.cos(),
        Fn1::Cos => -x.sin(),
        Fn1::Tan => {
            let c = x.cos();
            1.0 / (c * c)
        }
        // (1-x)(1+x) keeps the digits that 1-x*x loses near 1.
        Fn1::Asin => 1.0 / ((1.0 - x) * (1.0 + x)).sqrt(),
        Fn1::Acos => -1.0 / ((1.0 - x) * (1.0 + x)).sqrt(),
        Fn1::Atan => 1.0 / (1.0 + x * x),
        Fn1::Sinh => x.cosh(),
        Fn1::Cosh => x.sinh(),
        Fn1::Tanh => {
            let c = x.cosh();
            1.0 / (c * c)
        }
        Fn1::Asinh => 1.0 / x.hypot(1.0),
        Fn1::Acosh => 1.0 / ((x - 1.0) * (x + 1.0)).sqrt(),
        Fn1::Atanh => 1.0 / ((1.0 - x) * (1.0 + x)),
        Fn1::Erf => 2.0 / PI.sqrt() * (-x * x).exp(),
        Fn1::Erfc => -2.0 / PI.sqrt() * (-x * x).exp(),
        Fn1::Gamma => libm::tgamma(x) * digamma(x),
        Fn1::Lgamma => digamma(x),
        Fn1::Digamma => trigamma(x),
        Fn1::BesselJ0 => -libm::j1(x),
        Fn1::BesselJ1 if x == 0.0 => 0.5,
        Fn1::BesselJ1 => libm::j0(x) - libm::j1(x) / x,
        Fn1::BesselY0 => -libm::y1(x),
        Fn1::BesselY1 => libm::y0(x) - libm::y1(x) / x,
        Fn1::Floor | Fn1::Ceil | Fn1::Round | Fn1::Trunc | Fn1::Rint | Fn1::Logb => 0.0,
    }
}

/// df/da.
pub(super) fn slope2a(f: Fn2, a: f64, b: f64) -> f64 {
    match f {
        Fn2::Add | Fn2::Sub | Fn2::Mod | Fn2::Modulo => 1.0,
        Fn2::Mul => b,
        Fn2::Div => 1.0 / b,
        Fn2::Pow => {
            if b == 0.0 {
                0.0
            } else {
                b * a.powf(b - 1.0)
            }
        }
        Fn2::Sign => {
            if (a < 0.0) == b.is_sign_negative() {
                1.0
            } else {
                -1.0
            }
        }
        Fn2::Max => 1.0 - f64::from(u8::from(b > a)),
        Fn2::Min => 1.0 - f64::from(u8::from(b < a)),
        Fn2::Dim => f64::from(u8::from(a > b)),
        Fn2::Atan2 => b / (a * a + b * b),
        Fn2::Hypot => ratio(a, a.hypot(b)),
        // An order is an integer.
        Fn2::BesselJ | Fn2::BesselY => 0.0,
    }
}

/// df/db.
pub(super) fn slope2b(f: Fn2, a: f64, b: f64) -> f64 {
    match f {
        Fn2::Add => 1.0,
        Fn2::Sub => -1.0,
        Fn2::Mul => a,
        Fn2::Div => -a / (b * b),
        // Where a is not positive, the power exists for whole b only: no derivative to speak of.
        Fn2::Pow => {
            if a > 0.0 {
                a.powf(b) * a.ln()
            } else {
                0.0
            }
        }
        Fn2::Sign => 0.0,
        Fn2::Mod => -(a / b).trunc(),
        Fn2::Modulo => -(a / b).floor(),
        Fn2::Max => f64::from(u8::from(b > a)),
        Fn2::Min => f64::from(u8::from(b < a)),
        Fn2::Dim => -f64::from(u8::from(a > b)),
        Fn2::Atan2 => -a / (a * a + b * b),
        Fn2::Hypot => ratio(b, a.hypot(b)),
        Fn2::BesselJ => (libm::jn(a as i32 - 1, b) - libm::jn(a as i32 + 1, b)) / 2.0,
        Fn2::BesselY => (libm::yn(a as i32 - 1, b) - libm::yn(a as i32 + 1, b)) / 2.0,
    }
}

fn ratio(a: f64, r: f64) -> f64 {
    if r == 0.0 { 0.0 } else { a / r }
}

/// The derivative of digamma, by recurrence and asymptotic series.
fn trigamma(x: f64) -> f64 {
    if x <= 0.0 {
        if x == x.floor() {
            return f64::NAN;
        }
        let s = (std::f64::consts::PI * (x - x.floor())).sin();
        return std::f64::consts::PI.powi(2) / (s * s) - trigamma(1.0 - x);
    }
    let (mut sum, mut z) = (0.0, x);
    while z < 14.0 {
        sum += 1.0 / (z * z);
        z += 1.0;
    }
    const BERNOULLI: [f64; 6] = [1.0 / 6.0, -1.0 / 30.0, 1.0 / 42.0, -1.0 / 30.0, 5.0 / 66.0, -691.0 / 2730.0];
    let w = 1.0 / (z * z);
    let tail = BERNOULLI.iter().rev().fold(0.0, |s, b| (s + b) * w);
    sum + 1.0 / z + 0.5 * w + tail / z
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Six-point differences of the values themselves: independent of every rule.
    fn difference(f: impl Fn(f64) -> f64, x: f64) -> f64 {
        let h = 1e-3 * x.abs().max(0.1);
        (45.0 * (f(x + h) - f(x - h)) - 9.0 * (f(x + 2.0 * h) - f(x - 2.0 * h)) + (f(x + 3.0 * h) - f(x - 3.0 * h))) / (60.0 * h)
    }

    #[test]
    fn rules_of_one_argument_agree_with_differences() {
        use Fn1::*;
        let everywhere = [Neg, Abs, Exp, Sin, Cos, Tan, Atan, Sinh, Cosh, Tanh, Asinh, Cbrt, Exp2, Expm1, Erf, Erfc];
        let positive = [Ln, Log10, Sqrt, Log2, Log1p, Gamma, Lgamma, Digamma, BesselJ0, BesselJ1, BesselY0, BesselY1];
        let inside = [Asin, Acos, Atanh];
        let check = |f: Fn1, x: f64| {
            let d = Dual::variable(x, 0, 1).unary(f);
            let e = difference(|t| value1(f, t), x);
            assert!((d.d[0] - e).abs() <= 1e-9 * e.abs().max(1.0), "{f:?} at {x}: {} {e}", d.d[0]);
        };
        for x in [-1.3, -0.7, 0.4, 0.9, 2.2] {
            everywhere.iter().for_each(|&f| check(f, x));
        }
        for x in [0.3, 0.9, 2.5, 7.0] {
            positive.iter().for_each(|&f| check(f, x));
        }
        for x in [-0.8, 0.1, 0.6] {
            inside.iter().for_each(|&f| check(f, x));
        }
        [1.5, 3.0].into_iter().for_each(|x| check(Acosh, x));
        [-0.5, -1.3, -2.7].into_iter().for_each(|x| [Gamma, Lgamma, Digamma].iter().for_each(|&f| check(f, x)));
    }

    #[test]
    fn rules_of_two_arguments_agree_with_differences() {
        use Fn2::*;
        for f in [Add, Sub, Mul, Div, Sign, Mod, Modulo, Max, Min, Dim, Atan2, Hypot, Pow] {
            for (a, b) in [(1.3, 0.7), (0.6, 2.1), (-1.1, 0.4), (2.5, -0.8), (-0.9, -1.7)] {
                if f == Pow && a < 0.0 {
                    continue;
                }
                let d = Dual::variable(a, 0, 2).binary(&Dual::variable(b, 1, 2), f);
                let e = [difference(|t| value2(f, t, b), a), difference(|t| value2(f, a, t), b)];
                for (d, e) in d.d.iter().zip(e) {
                    assert!((d - e).abs() <= 1e-9 * e.abs().max(1.0), "{f:?} at {a}, {b}: {d} {e}");
                }
            }
        }
    }

    #[test]
    fn slopes_of_bessel_functions_agree_with_differences() {
        for f in [Fn2::BesselJ, Fn2::BesselY] {
            for n in -3..5 {
                for x in [0.4, 1.3, 2.9] {
                    let n = f64::from(n);
                    let d = Dual::constant(n).binary(&Dual::variable(x, 0, 1), f).d[0];
                    let e = difference(|t| value2(f, n, t), x);
                    assert!((d - e).abs() <= 1e-7 * e.abs().max(1.0), "{f:?} of order {n} at {x}: {d} {e}");
                }
            }
        }
        assert_eq!(Dual::variable(0.0, 0, 1).unary(Fn1::BesselJ1).d[0], 0.5);
    }

    #[test]
    fn powers_have_derivatives_at_zero_and_below() {
        let x = Dual::variable(-2.0, 0, 1);
        assert_eq!(x.powi(3).d[0], 12.0);
        assert_eq!(x.binary(&Dual::constant(3.0), Fn2::Pow).d[0], 12.0);
        let zero = Dual::variable(0.0, 0, 1);
        assert_eq!(zero.powi(0).d[0], 0.0);
        assert_eq!(zero.powi(1).d[0], 1.0);
        assert_eq!(zero.powi(2).d[0], 0.0);
        assert_eq!(zero.binary(&Dual::constant(2.0), Fn2::Pow).d[0], 0.0);
        // A direction that does not move stays at zero beside an infinite slope.
        assert_eq!(Dual::new(0.0, [0.0, 1.0]).unary(Fn1::Sqrt).d[..], [0.0, f64::INFINITY]);
    }
}
