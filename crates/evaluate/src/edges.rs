//! Where the chain rule ends: a value that depends on the independents meets a function whose slope there is infinite or no number.
//!
//! The derivative of such a statement does not exist, whatever becomes of it afterwards; derivative code multiplies the slope with what arrives, and
//! infinity times zero is no number. Beside its value a number carries from which directions it comes, and from which of them an edge lies on the
//! way. Lives here: this bookkeeping. Never here: the derivatives themselves, whose slopes are those of [`super::dual`].

use super::dual::{slope1, slope2a, slope2b};
use super::scalar::{Fn1, Fn2, Scalar, fused, value1, value2, whole_power};

/// The mark of an edge from which no direction leads: what it meets is a constant at this point, which it may not be at others.
pub const STILL: u64 = 1 << 62;

/// A value, the directions on which it depends, and those of which an edge lies on the way, as bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edges {
    /// The value.
    pub at: f64,
    /// Directions that it depends on.
    pub from: u64,
    /// Those whose derivative does not exist.
    pub lost: u64,
}

impl Edges {
    /// An input that moves in these directions.
    pub fn input(at: f64, from: u64) -> Edges {
        Edges { at, from, lost: 0 }
    }

    fn one(self, at: f64, edge: bool) -> Edges {
        Edges { at, from: self.from, lost: if edge { self.from | STILL } else { self.lost } }
    }

    fn with(self, o: Edges, at: f64) -> Edges {
        Edges { at, from: self.from | o.from, lost: self.lost | o.lost }
    }
}

/// The slope of a function that has a value there.
fn edge1(f: Fn1, x: f64) -> bool {
    value1(f, x).is_finite() && !slope1(f, x).is_finite()
}

/// Of either slope, which of them do not exist.
fn edge2(f: Fn2, a: f64, b: f64) -> (bool, bool) {
    let there = value2(f, a, b).is_finite();
    (there && !slope2a(f, a, b).is_finite(), there && !slope2b(f, a, b).is_finite())
}

impl Scalar for Edges {
    const WATCHES: bool = true;

    fn constant(x: f64) -> Edges {
        Edges { at: x, from: 0, lost: 0 }
    }
    fn value(&self) -> f64 {
        self.at
    }
    fn unary(&self, f: Fn1) -> Edges {
        let at = value1(f, self.at);
        match f {
            // No derivative passes through these.
            Fn1::Floor | Fn1::Ceil | Fn1::Round | Fn1::Trunc | Fn1::Rint => Edges::constant(at),
            _ => self.one(at, edge1(f, self.at)),
        }
    }
    fn binary(&self, o: &Edges, f: Fn2) -> Edges {
        let at = value2(f, self.at, o.at);
        match f {
            Fn2::Sign => self.one(at, false),
            _ => {
                let (a, b) = edge2(f, self.at, o.at);
                self.one(at, a).with(o.one(at, b), at)
            }
        }
    }
    fn powi(&self, n: i64) -> Edges {
        self.one(whole_power(self.at, n), false)
    }
    fn fma(&self, b: &Edges, c: &Edges, single: bool) -> Edges {
        self.with(*b, 0.0).with(*c, fused(self.at, b.at, c.at, single))
    }
    fn to_single(&self) -> Edges {
        Edges { at: self.at.to_single(), ..*self }
    }
    fn kinked1(&self, f: Fn1) -> bool {
        edge1(f, self.at)
    }
    fn kinked2(&self, o: &Edges, f: Fn2) -> bool {
        let (a, b) = edge2(f, self.at, o.at);
        a || b
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_that_do_not_exist_are_seen_and_passed_on() {
        let (zero, one) = (Edges::input(0.0, 1), Edges::input(1.0, 2));
        let root = zero.unary(Fn1::Sqrt);
        assert!(zero.kinked1(Fn1::Sqrt) && root.lost == 1 | STILL && Edges::constant(0.0).unary(Fn1::Sqrt).lost == STILL);
        let sum = root.binary(&one, Fn2::Add);
        assert_eq!((sum.from, sum.lost), (3, 1 | STILL));
        for f in [Fn1::Asin, Fn1::Acos, Fn1::Acosh] {
            assert!(one.kinked1(f) && one.unary(f).lost == 2 | STILL, "{f:?}");
        }
        let half = Edges::constant(0.5);
        assert!(zero.kinked2(&half, Fn2::Pow) && !one.kinked2(&half, Fn2::Pow) && !zero.kinked2(&Edges::constant(1.5), Fn2::Pow));
        assert!(zero.kinked2(&zero, Fn2::Atan2) && !zero.kinked2(&zero, Fn2::Hypot) && !zero.kinked1(Fn1::Abs));
        // What is outside of the domain is another matter.
        assert!(!Edges::input(-1.0, 1).kinked1(Fn1::Sqrt) && !zero.kinked1(Fn1::Ln));
    }
}
