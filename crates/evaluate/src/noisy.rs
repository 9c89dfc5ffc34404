//! Dual numbers with an estimate of their rounding error.
//!
//! Beside the dual number itself, copies of it are carried along in which every operation is disturbed by one to four units in the last
//! place, up or down as if by chance (stochastic arithmetic: Vignes, *Discrete stochastic arithmetic for validating results of numerical
//! software*, Numer. Algorithms 37, 2004; with amounts of one size, two roundings would cancel in every other copy). How far they drift from it tells how much rounding may change value and derivative: what is
//! ill-conditioned, cancelled or accumulated over many steps shows by itself. Control flow is that of the undisturbed value.
//!
//! Never here: randomness that is not a function of the operands.

use super::dual::Dual;
use super::scalar::{Fn1, Fn2, Scalar, value1};
use smallvec::SmallVec;

/// Disturbed copies.
const COPIES: usize = 3;

/// A dual number and its disturbed copies.
#[derive(Clone, Debug, PartialEq)]
pub struct Noisy {
    /// The number itself.
    pub exact: Dual,
    copies: Option<Box<[Dual; COPIES]>>,
    /// It has been rounded to single precision.
    single: bool,
}

/// A mixture of bits without pattern (the finalizer of splitmix64).
pub fn mix(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Disturbs value and derivatives by one to four times that relative amount.
fn disturb(d: &mut Dual, unit: f64, key: u64) {
    let mut bits = mix(key ^ d.v.to_bits());
    let mut factor = || {
        bits = mix(bits);
        let units = 1.0 + 3.0 * (bits >> 11) as f64 / (1_u64 << 53) as f64;
        if bits & 1 == 0 { 1.0 + units * unit } else { 1.0 - units * unit }
    };
    d.v *= factor();
    for t in &mut d.d {
        *t *= factor();
    }
}

impl Noisy {
    /// An input: exact.
    pub fn input(exact: Dual) -> Noisy {
        let copies = (!exact.d.is_empty()).then(|| Box::new(std::array::from_fn(|_| exact.clone())));
        Noisy { exact, copies, single: false }
    }

    fn copy(&self, k: usize) -> Dual {
        self.copies.as_ref().map_or_else(|| self.exact.clone(), |c| c[k].clone())
    }

    fn map(exact: Dual, operands: &[&Noisy], key: u64, f: impl Fn(&[Dual]) -> Dual) -> Noisy {
        let copies = Box::new(std::array::from_fn(|k| {
            let key = mix(key.wrapping_mul(31).wrapping_add(k as u64));
            // The operands are disturbed too: a slope may depend on them more sensitively than the value does.
            let disturbed: SmallVec<[Dual; 3]> = operands
                .iter()
                .enumerate()
                .map(|(i, o)| {
                    let mut d = o.copy(k);
                    disturb(&mut d, f64::EPSILON, key.wrapping_add(i as u64 + 1));
                    d
                })
                .collect();
            let mut d = f(&disturbed);
            disturb(&mut d, f64::EPSILON, key);
            d
        }));
        Noisy { exact, copies: Some(copies), single: false }
    }

    /// How far value and derivative in a direction may be off.
    pub fn spread(&self, direction: Option<usize>) -> f64 {
        let pick = |d: &Dual| direction.map_or(d.v, |k| d.derivative(k));
        let at = pick(&self.exact);
        self.copies.iter().flat_map(|c| c.iter()).map(|c| (pick(c) - at).abs()).fold(0.0, f64::max)
    }
}

/// A function of two arguments on the side of a kink where the values `a` and `b` are.
fn side(f: Fn2, a: f64, b: f64, o: &[Dual]) -> Dual {
    let less = |q: f64| o[0].binary(&o[1].binary(&Dual::constant(q), Fn2::Mul), Fn2::Sub);
    let negated = |d: &Dual| d.unary(Fn1::Neg);
    match f {
        Fn2::Max => o[usize::from(b > a || a.is_nan())].clone(),
        Fn2::Min => o[usize::from(b < a || a.is_nan())].clone(),
        Fn2::Dim if a > b => less(1.0),
        Fn2::Dim => Dual::constant(0.0),
        Fn2::Sign if (a < 0.0) == b.is_sign_negative() => o[0].clone(),
        Fn2::Sign => negated(&o[0]),
        Fn2::Mod => less((a / b).trunc()),
        Fn2::Modulo => less((a / b).floor()),
        _ => o[0].binary(&o[1], f),
    }
}

impl Scalar for Noisy {
    fn constant(x: f64) -> Noisy {
        Noisy { exact: Dual::constant(x), copies: None, single: false }
    }
    fn value(&self) -> f64 {
        self.exact.v
    }
    fn unary(&self, f: Fn1) -> Noisy {
        let at = self.exact.v;
        let unit = if self.single { f64::from(f32::EPSILON) } else { f64::EPSILON };
        Noisy::map(self.exact.unary(f), &[self], f as u64, |o| match f {
            // At a kink the copies stay on the side of the value, or its derivative would seem to be anything between both.
            Fn1::Abs if at < 0.0 => o[0].unary(Fn1::Neg),
            Fn1::Abs => o[0].clone(),
            Fn1::Floor | Fn1::Ceil | Fn1::Round | Fn1::Trunc | Fn1::Rint | Fn1::Logb => Dual::constant(value1(f, at)),
            // Code that keeps the value t has 1 - t*t for a slope, which loses digits where t is close to 1.
            Fn1::Tanh => {
                let mut t = Dual::constant(value1(f, o[0].v));
                disturb(&mut t, unit, o[0].v.to_bits());
                Dual::new(t.v, o[0].d.iter().map(|d| (1.0 - t.v * t.v) * d))
            }
            _ => o[0].unary(f),
        })
    }
    fn binary(&self, other: &Noisy, f: Fn2) -> Noisy {
        Noisy::map(self.exact.binary(&other.exact, f), &[self, other], 64 + f as u64, |o| side(f, self.exact.v, other.exact.v, o))
    }
    fn powi(&self, n: i64) -> Noisy {
        Noisy::map(self.exact.powi(n), &[self], 128, |o| o[0].powi(n))
    }
    fn fma(&self, b: &Noisy, c: &Noisy, single: bool) -> Noisy {
        Noisy::map(self.exact.fma(&b.exact, &c.exact, single), &[self, b, c], 129, |o| o[0].fma(&o[1], &o[2], false))
    }
    fn to_single(&self) -> Noisy {
        let mut copies = Box::new(std::array::from_fn(|k| self.copy(k)));
        for (k, d) in copies.iter_mut().enumerate() {
            disturb(d, f64::from(f32::EPSILON), 130 + k as u64);
        }
        Noisy { exact: self.exact.to_single(), copies: Some(copies), single: true }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_stay_on_the_side_of_the_value() {
        let x = Noisy::input(Dual::variable(0.5, 0, 1));
        let zero = x.binary(&Noisy::constant(0.5), Fn2::Sub);
        for y in [zero.unary(Fn1::Abs), zero.binary(&Noisy::constant(0.0), Fn2::Max), x.binary(&zero, Fn2::Sign), x.unary(Fn1::Round)] {
            assert!(y.spread(Some(0)) < 1e-14, "{y:?}");
        }
    }

    #[test]
    fn cancellation_shows_as_spread() {
        let x = Noisy::input(Dual::variable(0.1, 0, 1));
        let product = x.binary(&Noisy::constant(3.0), Fn2::Mul);
        assert!(product.spread(None) <= 4.0 * f64::EPSILON && product.spread(None) > 0.0);
        let big = product.binary(&Noisy::constant(1e9), Fn2::Add);
        let small = big.binary(&Noisy::constant(1e9), Fn2::Sub);
        assert!(small.spread(None) > 1e-8 && small.spread(None) < 1e-5, "{}", small.spread(None));
        // Near 1 the slope of the arcsine depends on its argument far more than its value does.
        let y = Noisy::input(Dual::variable(1.0 - 1e-9, 0, 1)).unary(Fn1::Asin);
        assert!(y.spread(Some(0)) > 1e-9 * y.exact.d[0] && y.spread(Some(0)) < 1e-5 * y.exact.d[0]);
        // Where the hyperbolic tangent is close to 1, its slope computed from it has few digits.
        let y = Noisy::input(Dual::variable(7.0, 0, 1)).unary(Fn1::Tanh);
        assert!(y.spread(Some(0)) > 1e-12 * y.exact.d[0] && y.spread(Some(0)) < 1e-9 * y.exact.d[0]);
        // In single precision hardly any.
        let y = Noisy::input(Dual::variable(7.0, 0, 1)).to_single().unary(Fn1::Tanh);
        assert!(y.spread(Some(0)) > 1e-2 * y.exact.d[0], "{} {}", y.spread(Some(0)), y.exact.d[0]);
    }

    /// Of disturbances of one size, two would cancel in all copies for one number in eight.
    #[test]
    fn two_roundings_show_for_every_number() {
        for k in 1..2000 {
            let x = Noisy::input(Dual::variable(f64::from(k) / 777.0, 0, 1));
            let y = x.to_single().binary(&Noisy::constant(0.7), Fn2::Mul).to_single();
            assert!(y.spread(Some(0)) > 0.7 * f64::from(f32::EPSILON) / 8.0, "{k}: {y:?}");
            let y = x.binary(&Noisy::constant(1.0), Fn2::Mul).binary(&Noisy::constant(1.0), Fn2::Mul);
            assert!(y.spread(Some(0)) > 0.0, "{k}: {y:?}");
        }
    }
}
