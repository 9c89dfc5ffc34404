//! Elementary functions of complex numbers in their parts.
//!
//! Branches are those of the standard: angles are between -pi and pi. Lives here: one formula for each function. Never here: names, arguments.

use crate::parse::context::state::{Lower, Lowered};
use crate::parse::context::terms::{Parts, Val, op};
use tree_sitter::Node;
use xaif::model::*;

/// A real function of the catalogue.
fn of(name: &str, v: &Val) -> Val {
    Val::new(op(name, "", None, [v.e.clone()]), v.ty, v.rank)
}

/// One of two real arguments.
fn of_two(name: &str, a: &Val, b: &Val) -> Val {
    Val::new(op(name, "", None, [a.e.clone(), b.e.clone()]), a.ty, a.rank.max(b.rank))
}

fn literal(x: f64, like: &Val) -> Val {
    Val::new(Expr::real(x, like.ty.bits), like.ty, 0)
}

/// A number times the imaginary unit.
fn turned(l: &Lower, a: Parts) -> Parts {
    let im = l.imaginary(&a);
    Parts::new(l.minus(im), a.re)
}

impl<'t> Lower<'t> {
    /// The modulus of a number whose parts are variables.
    pub fn modulus(&self, a: &Parts) -> Val {
        match &a.im {
            Some(im) => of_two("hypot_scal_scal", &a.re, im),
            None => of("abs_scal", &a.re),
        }
    }

    /// Its angle.
    pub fn angle(&self, a: &Parts) -> Val {
        of_two("arctan2_scal_scal", &self.imaginary(a), &a.re)
    }

    /// A number of a modulus and an angle.
    pub fn polar(&mut self, r: Val, angle: Val, node: Node<'t>) -> Lowered<Parts> {
        let (r, angle) = (self.held(r, "modulus", node)?, self.held(angle, "angle", node)?);
        let (c, s) = (of("cos_scal", &angle), of("sin_scal", &angle));
        Ok(Parts::new(self.apply("*", r.clone(), c, node)?, self.apply("*", r, s, node)?))
    }

    pub fn complex_exp(&mut self, a: Parts, node: Node<'t>) -> Lowered<Parts> {
        let im = self.imaginary(&a);
        self.polar(of("exp_scal", &a.re), im, node)
    }

    pub fn complex_log(&mut self, a: Parts, node: Node<'t>) -> Lowered<Parts> {
        let a = self.both_held(a, node)?;
        Ok(Parts::new(of("ln_scal", &self.modulus(&a)), self.angle(&a)))
    }

    fn complex_sqrt(&mut self, a: Parts, node: Node<'t>) -> Lowered<Parts> {
        let a = self.both_held(a, node)?;
        let half = self.apply("*", literal(0.5, &a.re), self.angle(&a), node)?;
        self.polar(of("sqrt_scal", &self.modulus(&a)), half, node)
    }

    /// Sine and cosine of both kinds, which are made of the same four real functions.
    fn waves(&mut self, name: &str, a: Parts, node: Node<'t>) -> Lowered<Parts> {
        let a = self.both_held(a, node)?;
        let im = self.imaginary(&a);
        // Real functions of the real part, then those of the imaginary one.
        let (re, im, negative) = match name {
            "sin" => (["sin_scal", "cos_scal"], [of("cosh_scal", &im), of("sinh_scal", &im)], false),
            "cos" => (["cos_scal", "sin_scal"], [of("cosh_scal", &im), of("sinh_scal", &im)], true),
            "sinh" => (["sinh_scal", "cosh_scal"], [of("cos_scal", &im), of("sin_scal", &im)], false),
            _ => (["cosh_scal", "sinh_scal"], [of("cos_scal", &im), of("sin_scal", &im)], false),
        };
        let [c, s] = im;
        let first = self.apply("*", of(re[0], &a.re), c, node)?;
        let second = self.apply("*", of(re[1], &a.re), s, node)?;
        Ok(Parts::new(first, if negative { self.minus(second) } else { second }))
    }

    /// Half the logarithm of the quotient of 1 + z and 1 - z.
    fn complex_atanh(&mut self, a: Parts, node: Node<'t>) -> Lowered<Parts> {
        let a = self.both_held(a, node)?;
        let one = Parts::real(literal(1.0, &a.re));
        let above = self.complex_sum("+", one.clone(), a.clone(), node)?;
        let below = self.complex_sum("-", one, a.clone(), node)?;
        let (above, below) = (self.complex_log(above, node)?, self.complex_log(below, node)?);
        let twice = self.complex_sum("-", above, below, node)?;
        self.complex_product(Parts::real(literal(0.5, &a.re)), twice, node)
    }

    /// The logarithm of z and the root of z*z + 1.
    fn complex_asinh(&mut self, a: Parts, node: Node<'t>) -> Lowered<Parts> {
        let a = self.both_held(a, node)?;
        let square = self.whole_power(a.clone(), 2, node)?;
        let one = Parts::real(literal(1.0, &a.re));
        let root = self.complex_sum("+", square, one, node)?;
        let root = self.complex_sqrt(root, node)?;
        let sum = self.complex_sum("+", a, root, node)?;
        self.complex_log(sum, node)
    }

    fn complex_acosh(&mut self, a: Parts, node: Node<'t>) -> Lowered<Parts> {
        let a = self.both_held(a, node)?;
        let one = Parts::real(literal(1.0, &a.re));
        let (above, below) = (self.complex_sum("+", a.clone(), one.clone(), node)?, self.complex_sum("-", a.clone(), one, node)?);
        let (above, below) = (self.complex_sqrt(above, node)?, self.complex_sqrt(below, node)?);
        let root = self.complex_product(above, below, node)?;
        let sum = self.complex_sum("+", a, root, node)?;
        self.complex_log(sum, node)
    }

    /// An elementary function by its generic name.
    pub fn elementary(&mut self, name: &str, a: Parts, node: Node<'t>) -> Lowered<Parts> {
        // Inverse functions of angles are those of z*i, divided by i.
        let back = |l: &Self, r: Parts| l.negative(turned(l, r));
        Ok(match name {
            "exp" => self.complex_exp(a, node)?,
            "log" => self.complex_log(a, node)?,
            "sqrt" => self.complex_sqrt(a, node)?,
            "sin" | "cos" | "sinh" | "cosh" => self.waves(name, a, node)?,
            "tan" | "tanh" => {
                let (sine, cosine) = if name == "tan" { ("sin", "cos") } else { ("sinh", "cosh") };
                let a = self.both_held(a, node)?;
                let (s, c) = (self.waves(sine, a.clone(), node)?, self.waves(cosine, a, node)?);
                self.complex_quotient(s, c, node)?
            }
            "asinh" => self.complex_asinh(a, node)?,
            "acosh" => self.complex_acosh(a, node)?,
            "atanh" => self.complex_atanh(a, node)?,
            "asin" | "acos" => {
                let right = literal(std::f64::consts::FRAC_PI_2, &a.re);
                let r = self.complex_asinh(turned(self, a), node)?;
                let asin = back(self, r);
                if name == "asin" { asin } else { self.complex_sum("-", Parts::real(right), asin, node)? }
            }
            "atan" => {
                let r = self.complex_atanh(turned(self, a), node)?;
                back(self, r)
            }
            _ => return Err(self.refuse(node, "OB3021", format!("`{name}` of a complex number"))),
        })
    }
}
