//! An interval of two: the values on both sides of a point along a direction.
//!
//! Lives here: where a program is not smooth between the sides. A comparison whose outcome is not the same on both sides marks its statement; an
//! intrinsic whose branch is not the same marks its result, too, and whatever comes of that: where no result of the program has the mark, nothing comes of it
//! (the size of a step that only a test for convergence looks at). Control flow is that of the point itself. Never here: derivatives.

use super::scalar::{Fn1, Fn2, Scalar, fused, value1, value2, whole_power};
use std::cmp::Ordering;

/// A value, and what it is on either side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sides {
    /// At the point.
    pub at: f64,
    /// On one side.
    pub low: f64,
    /// On the other.
    pub high: f64,
    /// Calculated in single precision somewhere.
    single: bool,
    /// An intrinsic that is not smooth is on the way.
    bent: bool,
}

impl Sides {
    /// A variable that moves by that much to either side.
    pub fn variable(at: f64, step: f64) -> Sides {
        Sides { at, low: at - step, high: at + step, single: false, bent: false }
    }

    /// Whether it is computed from what an intrinsic gave that is not smooth between the sides.
    pub fn is_bent(self) -> bool {
        self.bent
    }

    fn each(self, f: impl Fn(f64) -> f64) -> Sides {
        Sides { at: f(self.at), low: f(self.low), high: f(self.high), ..self }
    }

    fn both(self, o: Sides, f: impl Fn(f64, f64) -> f64) -> Sides {
        let (at, low, high) = (f(self.at, o.at), f(self.low, o.low), f(self.high, o.high));
        Sides { at, low, high, single: self.single || o.single, bent: self.bent || o.bent }
    }

    /// Whether the sides differ by more than rounding of values of that magnitude. What is bent may lie on one side of its value on both sides of the point.
    fn moves(self, magnitude: f64) -> bool {
        let unit = if self.single { f64::from(f32::EPSILON) } else { f64::EPSILON };
        let apart = |a: f64, b: f64| (a - b).abs() > 64.0 * unit * magnitude.abs();
        apart(self.high, self.low) || self.bent && (apart(self.low, self.at) || apart(self.high, self.at))
    }
}

/// True unless all three are the same.
fn differ<T: PartialEq>(a: T, b: T, c: T) -> bool {
    a != b || b != c
}

impl Scalar for Sides {
    const WATCHES: bool = true;

    fn constant(x: f64) -> Sides {
        Sides { at: x, low: x, high: x, single: false, bent: false }
    }
    fn value(&self) -> f64 {
        self.at
    }
    fn unary(&self, f: Fn1) -> Sides {
        self.each(|x| value1(f, x))
    }
    fn binary(&self, o: &Sides, f: Fn2) -> Sides {
        self.both(*o, |a, b| value2(f, a, b))
    }
    fn powi(&self, n: i64) -> Sides {
        self.each(|x| whole_power(x, n))
    }
    fn fma(&self, b: &Sides, c: &Sides, single: bool) -> Sides {
        Sides {
            at: fused(self.at, b.at, c.at, single),
            low: fused(self.low, b.low, c.low, false),
            high: fused(self.high, b.high, c.high, false),
            single: self.single || b.single || c.single || single,
            bent: self.bent || b.bent || c.bent,
        }
    }
    /// The sides stay as exact as they are: rounded, small steps would be lost.
    fn to_single(&self) -> Sides {
        Sides { at: self.at.to_single(), single: true, ..*self }
    }
    fn bent(&self) -> Option<Sides> {
        Some(Sides { bent: true, ..*self })
    }
    fn crosses(&self, o: &Sides) -> bool {
        let d = self.both(*o, |a, b| a - b);
        let order = |x: f64| x.partial_cmp(&0.0);
        // What does not move is on the same side everywhere, be it equal or not.
        d.moves(self.at.abs() + o.at.abs())
            && (order(d.at) == Some(Ordering::Equal)
                || differ(order(d.low), order(d.high), if d.bent { order(d.at) } else { order(d.high) }))
    }
    fn kinked1(&self, f: Fn1) -> bool {
        match f {
            Fn1::Abs => self.crosses(&Sides::constant(0.0)),
            Fn1::Floor | Fn1::Ceil | Fn1::Round | Fn1::Trunc | Fn1::Rint | Fn1::Logb => {
                let v = self.each(|x| value1(f, x));
                self.moves(self.at) && differ(v.low, v.at, v.high)
            }
            // The edge of the domain, where the slope is infinite.
            Fn1::Sqrt => self.moves(self.at) && self.low.min(self.high) <= 0.0,
            Fn1::Asin | Fn1::Acos => self.moves(self.at) && self.low.abs().max(self.high.abs()) >= 1.0,
            Fn1::Acosh => self.moves(self.at) && self.low.min(self.high) <= 1.0,
            Fn1::Cbrt => self.crosses(&Sides::constant(0.0)),
            _ => false,
        }
    }
    fn kinked2(&self, o: &Sides, f: Fn2) -> bool {
        match f {
            Fn2::Max | Fn2::Min | Fn2::Dim => self.crosses(o),
            Fn2::Sign => o.crosses(&Sides::constant(0.0)) || self.crosses(&Sides::constant(0.0)),
            Fn2::Mod | Fn2::Modulo => {
                let q = self.both(*o, |a, b| (a / b).floor());
                self.both(*o, |a, b| a / b).moves(self.at / o.at) && differ(q.low, q.at, q.high)
            }
            // The jump of the angle, and the middle where there is none.
            Fn2::Atan2 => {
                let middle = self.at == 0.0 && o.at == 0.0 && (self.moves(0.0) || o.moves(0.0));
                middle || (o.at <= 0.0 && self.crosses(&Sides::constant(0.0)))
            }
            // Defined on one side only, except for whole exponents.
            Fn2::Pow => {
                let whole = o.at.fract() == 0.0 && !o.moves(o.at);
                !whole && self.moves(self.at) && self.low.min(self.high) <= 0.0
            }
            Fn2::Hypot => self.at == 0.0 && o.at == 0.0 && (self.moves(0.0) || o.moves(0.0)),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crossings_are_seen_where_something_moves() {
        let zero = Sides::constant(0.0);
        let x = Sides::variable(0.0, 1e-9);
        assert!(x.crosses(&zero) && zero.crosses(&x) && !zero.crosses(&zero) && !x.crosses(&x));
        assert!(x.kinked1(Fn1::Abs) && !Sides::variable(0.1, 1e-9).kinked1(Fn1::Abs));
        assert!(Sides::variable(2.0, 1e-9).kinked1(Fn1::Floor) && !Sides::variable(2.5, 1e-9).kinked1(Fn1::Floor));
        assert!(x.kinked2(&zero, Fn2::Max) && !x.kinked2(&Sides::constant(1.0), Fn2::Max));
        assert!(Sides::variable(6.0, 1e-9).kinked2(&Sides::constant(2.0), Fn2::Mod));
        // Zero in the middle, and not on either side.
        let size = x.unary(Fn1::Abs).bent().unwrap();
        assert!(size.crosses(&zero) && size.crosses(&Sides::constant(1e-10)) && !size.crosses(&Sides::constant(1e-8)));
        let less = Sides::constant(1.0).binary(&size, Fn2::Sub);
        assert!(less.kinked1(Fn1::Trunc) && !less.binary(&Sides::constant(0.5), Fn2::Sub).kinked1(Fn1::Trunc));
        // Rounding alone is no movement: (x + 1) - x compared with 1.
        let y = Sides::variable(0.1, 1e-9);
        let one = y.binary(&Sides::constant(1.0), Fn2::Add).binary(&y, Fn2::Sub);
        assert!(!one.crosses(&Sides::constant(1.0)));
    }
}
