//! The complex step: arithmetic of complex numbers, whose imaginary part carries a derivative where the program is analytic.
//!
//! f(x + ih) = f(x) + ih f'(x) + O(h^2), and no difference is taken, so h can be as small as one likes (Squire and Trapp, *Using complex
//! variables to estimate derivatives of real functions*, SIAM Rev. 40, 1998). Lives here: the elementary functions of complex
//! numbers; no derivative rule is used, which makes it independent of [`super::dual`]. Where a function has no complex form
//! here (erf, gamma), the imaginary part is no number, and says so.

use super::scalar::{Fn1, Fn2, Scalar, fused, value1, value2, whole_power};

/// A complex number; comparisons see the real part.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Complex {
    /// The value.
    pub re: f64,
    /// The step times the derivative.
    pub im: f64,
}

/// The step: small enough that its square is lost, large enough that products with it do not underflow.
pub const STEP: f64 = 1e-100;

impl Complex {
    /// A number.
    pub fn new(re: f64, im: f64) -> Complex {
        Complex { re, im }
    }

    /// The derivative, if [`STEP`] was the imaginary part of the variable.
    pub fn derivative(self) -> f64 {
        self.im / STEP
    }

    fn times(self, o: Complex) -> Complex {
        Complex::new(self.re * o.re - self.im * o.im, self.re * o.im + self.im * o.re)
    }

    fn over(self, o: Complex) -> Complex {
        let (re, im) = (self.re / o.re, o.im / o.re);
        // (a + ib) / (c + id) = (a/c + ib/c) / (1 + i d/c)
        let scale = 1.0 + im * im;
        Complex::new((re + self.im / o.re * im) / scale, (self.im / o.re - re * im) / scale)
    }

    fn plus(self, o: Complex) -> Complex {
        Complex::new(self.re + o.re, self.im + o.im)
    }

    fn scale(self, s: f64) -> Complex {
        Complex::new(self.re * s, self.im * s)
    }

    fn ln(self) -> Complex {
        let r = if self.im == 0.0 { self.re.abs() } else { self.re.hypot(self.im) };
        if self.re < 0.0 && self.im.abs() < 1e-50 {
            // The logarithm of what is negative is no real number.
            return Complex::new(f64::NAN, f64::NAN);
        }
        Complex::new(r.ln(), self.im.atan2(self.re))
    }

    fn exp(self) -> Complex {
        let r = self.re.exp();
        Complex::new(r * self.im.cos(), r * self.im.sin())
    }

    fn sqrt(self) -> Complex {
        let re = self.re.sqrt();
        if self.im == 0.0 { Complex::new(re, 0.0) } else { Complex::new(re, self.im / (2.0 * re)) }
    }

    fn sin(self) -> Complex {
        Complex::new(self.re.sin() * self.im.cosh(), self.re.cos() * self.im.sinh())
    }

    fn cos(self) -> Complex {
        Complex::new(self.re.cos() * self.im.cosh(), -self.re.sin() * self.im.sinh())
    }

    fn sinh(self) -> Complex {
        Complex::new(self.re.sinh() * self.im.cos(), self.re.cosh() * self.im.sin())
    }

    fn cosh(self) -> Complex {
        Complex::new(self.re.cosh() * self.im.cos(), self.re.sinh() * self.im.sin())
    }

    /// The imaginary part of the angle of `1 + ...`: for inverse functions, the argument of a complex number of known form.
    fn angle(self) -> f64 {
        self.im.atan2(self.re)
    }

    /// The same with the value that the real function gives: no digits are lost there.
    fn with_re(self, re: f64) -> Complex {
        Complex { re, ..self }
    }
}

const ONE: Complex = Complex { re: 1.0, im: 0.0 };

fn unary(z: Complex, f: Fn1) -> Complex {
    match f {
        Fn1::Neg => z.scale(-1.0),
        Fn1::Abs => {
            if z.re < 0.0 {
                z.scale(-1.0)
            } else {
                z
            }
        }
        Fn1::Exp => z.exp(),
        Fn1::Exp2 => z.scale(std::f64::consts::LN_2).exp(),
        Fn1::Expm1 => z.exp(),
        Fn1::Ln => z.ln(),
        Fn1::Log10 => z.ln().scale(std::f64::consts::LOG10_E),
        Fn1::Log2 => z.ln().scale(std::f64::consts::LOG2_E),
        Fn1::Log1p => Complex::new(0.0, ONE.plus(z).angle()),
        Fn1::Sqrt => z.sqrt(),
        Fn1::Cbrt => {
            // r^(1/3) turned by a third of the angle, on the branch of the real root.
            let r = z.re.cbrt();
            Complex::new(r, r * (z.im / (3.0 * z.re)).tan())
        }
        Fn1::Sin => z.sin(),
        Fn1::Cos => z.cos(),
        Fn1::Tan => z.sin().over(z.cos()),
        Fn1::Sinh => z.sinh(),
        Fn1::Cosh => z.cosh(),
        Fn1::Tanh => z.sinh().over(z.cosh()),
        // asin z = -i ln(iz + sqrt(1 - z^2)); its imaginary part is -ln|...|, small: by log1p of what |...|^2 differs from 1.
        Fn1::Asin | Fn1::Acos => {
            // |...|^2 - 1 with the leading parts cancelled exactly.
            let s = ONE.plus(z.times(z).scale(-1.0)).sqrt();
            let excess = 2.0 * (s.im * z.re - z.im * s.re);
            let im = -0.5 * excess.ln_1p();
            Complex::new(0.0, if f == Fn1::Asin { im } else { -im })
        }
        // atan z = (i/2) ln((1 - iz)/(1 + iz)): im = ln(|1 - iz|^2/|1 + iz|^2)/4.
        Fn1::Atan => Complex::new(0.0, 0.25 * (4.0 * z.im / (z.re * z.re + (1.0 - z.im) * (1.0 - z.im))).ln_1p()),
        Fn1::Asinh => Complex::new(0.0, z.plus(ONE.plus(z.times(z)).sqrt()).angle()),
        Fn1::Acosh => {
            let s = z.plus(ONE.scale(-1.0)).sqrt().times(z.plus(ONE).sqrt());
            Complex::new(0.0, z.plus(s).angle())
        }
        Fn1::Atanh => Complex::new(0.0, 0.5 * (ONE.plus(z).angle() - ONE.plus(z.scale(-1.0)).angle())),
        Fn1::Floor | Fn1::Ceil | Fn1::Round | Fn1::Trunc | Fn1::Rint | Fn1::Logb => Complex::new(0.0, 0.0),
        Fn1::Erf | Fn1::Erfc | Fn1::Gamma | Fn1::Lgamma | Fn1::Digamma | Fn1::BesselJ0 | Fn1::BesselJ1 | Fn1::BesselY0 | Fn1::BesselY1 => {
            Complex::new(0.0, if z.im == 0.0 { 0.0 } else { f64::NAN })
        }
    }
}

fn power(a: Complex, b: Complex) -> Complex {
    if a.im == 0.0 && b.im == 0.0 {
        return Complex::constant(a.re.powf(b.re));
    }
    if b.im == 0.0 && b.re == b.re.trunc() && b.re.abs() < 1e9 {
        return a.powi(b.re as i64);
    }
    b.times(a.ln()).exp()
}

impl Scalar for Complex {
    fn constant(x: f64) -> Complex {
        Complex::new(x, 0.0)
    }
    fn value(&self) -> f64 {
        self.re
    }
    fn unary(&self, f: Fn1) -> Complex {
        unary(*self, f).with_re(value1(f, self.re))
    }
    fn binary(&self, o: &Complex, f: Fn2) -> Complex {
        let (a, b) = (*self, *o);
        let z = match f {
            Fn2::Add => a.plus(b),
            Fn2::Sub => a.plus(b.scale(-1.0)),
            Fn2::Mul => a.times(b),
            Fn2::Div => a.over(b),
            Fn2::Pow => power(a, b),
            Fn2::Sign => {
                if (a.re < 0.0) == b.re.is_sign_negative() {
                    a
                } else {
                    a.scale(-1.0)
                }
            }
            Fn2::Mod => a.plus(b.scale(-(a.re / b.re).trunc())),
            Fn2::Modulo => a.plus(b.scale(-(a.re / b.re).floor())),
            Fn2::Max => {
                if b.re > a.re || a.re.is_nan() {
                    b
                } else {
                    a
                }
            }
            Fn2::Min => {
                if b.re < a.re || a.re.is_nan() {
                    b
                } else {
                    a
                }
            }
            Fn2::Dim => {
                if a.re > b.re {
                    a.plus(b.scale(-1.0))
                } else {
                    Complex::default()
                }
            }
            // The angle of b + ia: -i ln((b + ia)/sqrt(a^2 + b^2)), whose imaginary part is -ln|...|.
            Fn2::Atan2 => {
                let excess = 4.0 * (a.im * b.re - b.im * a.re) / ((b.re + a.im).powi(2) + (a.re - b.im).powi(2));
                Complex::new(0.0, 0.25 * excess.ln_1p())
            }
            Fn2::Hypot => a.times(a).plus(b.times(b)).sqrt(),
            Fn2::BesselJ | Fn2::BesselY => Complex::new(0.0, if b.im == 0.0 { 0.0 } else { f64::NAN }),
        };
        z.with_re(value2(f, a.re, b.re))
    }
    fn powi(&self, n: i64) -> Complex {
        let mut result = ONE;
        let (mut base, mut k) = (*self, n.unsigned_abs());
        while k > 0 {
            if k & 1 == 1 {
                result = result.times(base);
            }
            base = base.times(base);
            k >>= 1;
        }
        let z = if n < 0 { ONE.over(result) } else { result };
        z.with_re(whole_power(self.re, n))
    }
    fn fma(&self, b: &Complex, c: &Complex, single: bool) -> Complex {
        self.times(*b).plus(*c).with_re(fused(self.re, b.re, c.re, single))
    }
    fn to_single(&self) -> Complex {
        self.with_re(self.re.to_single())
    }
}

#[cfg(test)]
mod tests {
    use super::super::dual::Dual;
    use super::*;

    #[test]
    fn steps_agree_with_dual_numbers() {
        use Fn1::*;
        let everywhere = [Neg, Abs, Exp, Exp2, Expm1, Sin, Cos, Tan, Sinh, Cosh, Tanh, Atan, Asinh, Cbrt];
        let check = |f: Fn1, x: f64| {
            let got = Complex::new(x, STEP).unary(f).derivative();
            let want = Dual::variable(x, 0, 1).unary(f).d[0];
            assert!((got - want).abs() <= 1e-13 * want.abs().max(1.0), "{f:?} at {x}: {got} {want}");
        };
        for x in [-1.7, -0.4, 0.3, 0.9, 2.6] {
            everywhere.iter().for_each(|&f| check(f, x));
        }
        for x in [0.2, 1.0, 3.5] {
            [Ln, Log10, Log2, Log1p, Sqrt].iter().for_each(|&f| check(f, x));
        }
        for x in [-0.8, 0.1, 0.7] {
            [Asin, Acos, Atanh].iter().for_each(|&f| check(f, x));
        }
        check(Acosh, 1.8);
        assert!(Complex::new(0.3, STEP).unary(Gamma).im.is_nan());
    }

    #[test]
    fn steps_of_two_arguments_agree_with_dual_numbers() {
        use Fn2::*;
        for f in [Add, Sub, Mul, Div, Sign, Mod, Modulo, Max, Min, Dim, Atan2, Hypot, Pow] {
            for (a, b) in [(1.3, 0.7), (0.6, 2.1), (-1.1, 0.4), (2.5, -0.8), (-0.9, -1.7)] {
                if f == Pow && a < 0.0 {
                    continue;
                }
                let want = Dual::variable(a, 0, 2).binary(&Dual::variable(b, 1, 2), f).d;
                let of = |da: f64, db: f64| Complex::new(a, da).binary(&Complex::new(b, db), f).derivative();
                for (got, want) in [of(STEP, 0.0), of(0.0, STEP)].into_iter().zip(want) {
                    assert!((got - want).abs() <= 1e-13 * want.abs().max(1.0), "{f:?} at {a}, {b}: {got} {want}");
                }
            }
        }
        assert!((Complex::new(-2.0, STEP).powi(-3).derivative() + 3.0 / 16.0).abs() < 1e-15);
    }
}
