//! Arithmetic of complex numbers in their parts.
//!
//! Lives here: operators over parts. Never here: the text that they come from, functions.

use crate::parse::context::state::{Lower, Lowered};
use crate::parse::context::terms::{Parts, Val, op, type_text};
use tree_sitter::Node;
use xaif::model::*;

/// The literal number that a value is.
fn number(v: &Val) -> Option<f64> {
    v.e.as_constant().and_then(|c| c.value.parse().ok())
}

impl<'t> Lower<'t> {
    /// The imaginary part, zero where there is none.
    pub fn imaginary(&self, a: &Parts) -> Val {
        a.im.clone().unwrap_or_else(|| self.zero_like(&a.re))
    }

    fn zero_like(&self, v: &Val) -> Val {
        let bits = if v.ty.base == BaseType::Real { v.ty.bits } else { 32 };
        Val::new(Expr::real(0.0, bits), ElemType { base: BaseType::Real, bits }, 0)
    }

    /// A value that is used more than once: a variable of its own where it is an operation.
    pub fn held(&mut self, v: Val, stem: &str, node: Node<'t>) -> Lowered<Val> {
        if v.e.nodes.len() == 1 || self.cur.graph.is_none() {
            return Ok(v);
        }
        let t = match v.rank {
            0 => {
                let t = self.temp(stem, v.ty, &type_text(v.ty), Vec::new(), false, self.file().span(node));
                self.emit(StmtKind::Assignment { lhs: VarRef::whole(t), rhs: v.e }, node, true);
                t
            }
            _ => self.array_value(stem, v.clone(), node)?,
        };
        Ok(Val::new(Expr::sym(t), v.ty, v.rank))
    }

    /// The same for both parts.
    pub fn both_held(&mut self, a: Parts, node: Node<'t>) -> Lowered<Parts> {
        let re = self.held(a.re, "re", node)?;
        let im = match a.im {
            Some(im) => Some(self.held(im, "im", node)?),
            None => None,
        };
        Ok(Parts { re, im })
    }

    /// A product of real numbers, shorter where one is a literal 0 or 1.
    pub fn times(&self, a: Val, b: Val, node: Node) -> Lowered<Val> {
        for (x, y) in [(&a, &b), (&b, &a)] {
            match number(x) {
                Some(1.0) if y.ty == x.ty => return Ok(y.clone()),
                Some(0.0) if y.rank == 0 && y.ty == x.ty => return Ok(x.clone()),
                _ => {}
            }
        }
        self.apply("*", a, b, node)
    }

    /// A sum or a difference of real numbers, shorter where one is a literal 0.
    pub fn plus(&self, sign: &str, a: Val, b: Val, node: Node) -> Lowered<Val> {
        let nothing = |v: &Val, other: &Val| number(v) == Some(0.0) && v.ty == other.ty;
        if nothing(&b, &a) {
            return Ok(a);
        }
        if nothing(&a, &b) {
            return Ok(if sign == "-" { self.minus(b) } else { b });
        }
        self.apply(sign, a, b, node)
    }

    /// The same with the other sign.
    pub fn minus(&self, v: Val) -> Val {
        Val::new(op("minus_scal", "", None, [v.e]), v.ty, v.rank)
    }

    /// Both parts with the other sign.
    pub fn negative(&self, a: Parts) -> Parts {
        Parts { re: self.minus(a.re), im: a.im.map(|im| self.minus(im)) }
    }

    /// A sum or a difference.
    pub fn complex_sum(&self, sign: &str, a: Parts, b: Parts, node: Node) -> Lowered<Parts> {
        let re = self.plus(sign, a.re, b.re, node)?;
        let im = match (a.im, b.im) {
            (Some(x), Some(y)) => Some(self.plus(sign, x, y, node)?),
            (None, Some(y)) => Some(if sign == "-" { self.minus(y) } else { y }),
            (x, None) => x,
        };
        Ok(Parts { re, im })
    }

    /// A product.
    pub fn complex_product(&mut self, a: Parts, b: Parts, node: Node<'t>) -> Lowered<Parts> {
        let (a, b) = match (&a.im, &b.im) {
            (None, None) => return Ok(Parts::real(self.apply("*", a.re, b.re, node)?)),
            _ => (self.both_held(a, node)?, self.both_held(b, node)?),
        };
        match (a.im, b.im) {
            (Some(i), Some(j)) => {
                let (x, y) = (self.times(a.re.clone(), b.re.clone(), node)?, self.times(i.clone(), j.clone(), node)?);
                let re = self.plus("-", x, y, node)?;
                let (x, y) = (self.times(a.re, j, node)?, self.times(i, b.re, node)?);
                Ok(Parts::new(re, self.plus("+", x, y, node)?))
            }
            (Some(i), None) => Ok(Parts::new(self.times(a.re, b.re.clone(), node)?, self.times(i, b.re, node)?)),
            (_, j) => {
                let im = self.times(a.re.clone(), j.unwrap_or_else(|| self.zero_like(&a.re)), node)?;
                Ok(Parts::new(self.times(a.re, b.re, node)?, im))
            }
        }
    }

    /// A quotient.
    pub fn complex_quotient(&mut self, a: Parts, b: Parts, node: Node<'t>) -> Lowered<Parts> {
        let Some(j) = b.im else {
            let Some(i) = a.im else { return Ok(Parts::real(self.apply("/", a.re, b.re, node)?)) };
            let by = self.held(b.re, "re", node)?;
            return Ok(Parts::new(self.apply("/", a.re, by.clone(), node)?, self.apply("/", i, by, node)?));
        };
        let b = self.both_held(Parts::new(b.re, j), node)?;
        let (c, d) = (b.re.clone(), self.imaginary(&b));
        let square = self.plus("+", self.times(c.clone(), c, node)?, self.times(d.clone(), d.clone(), node)?, node)?;
        let square = self.held(square, "square", node)?;
        let conjugate = Parts::new(b.re, self.minus(d));
        let by = self.complex_product(a, conjugate, node)?;
        let im = self.imaginary(&by);
        Ok(Parts::new(self.apply("/", by.re, square.clone(), node)?, self.apply("/", im, square, node)?))
    }

    /// A power whose exponent is a literal integer.
    pub fn whole_power(&mut self, a: Parts, n: i64, node: Node<'t>) -> Lowered<Parts> {
        let one = Parts::real(Val::new(Expr::real(1.0, a.re.ty.bits), a.re.ty, 0));
        let mut base = self.both_held(a, node)?;
        let mut result: Option<Parts> = None;
        let mut left = n.unsigned_abs();
        while left > 0 {
            if left & 1 == 1 {
                result = Some(match result {
                    Some(r) => self.complex_product(r, base.clone(), node)?,
                    None => base.clone(),
                });
            }
            left >>= 1;
            if left > 0 {
                let square = self.complex_product(base.clone(), base, node)?;
                base = self.both_held(square, node)?;
            }
        }
        let result = result.unwrap_or_else(|| Parts::new(one.re.clone(), self.zero_like(&one.re)));
        if n < 0 { self.complex_quotient(one, result, node) } else { Ok(result) }
    }

    /// A power: the exponent's text tells whether it is a literal.
    pub fn complex_power(&mut self, a: Parts, b: Parts, exponent: Option<i64>, node: Node<'t>) -> Lowered<Parts> {
        if a.im.is_none() && b.im.is_none() {
            return Ok(Parts::real(self.apply("**", a.re, b.re, node)?));
        }
        if let Some(n) = exponent.filter(|n| n.abs() <= 64) {
            return self.whole_power(a, n, node);
        }
        if b.im.is_none() && b.re.ty.base == BaseType::Integer {
            // r**n (cos n phi + i sin n phi): no logarithm, so that zero has powers.
            let a = self.both_held(a, node)?;
            let (modulus, angle) = (self.modulus(&a), self.angle(&a));
            let n = self.held(b.re, "exponent", node)?;
            let r = self.apply("**", modulus, n.clone(), node)?;
            let angle = self.apply("*", n, angle, node)?;
            return self.polar(r, angle, node);
        }
        let ty = if b.re.ty.base == BaseType::Real { b.re.ty } else { self.imaginary(&b).ty };
        let a = if a.re.ty.base == BaseType::Integer { Parts::real(self.as_real(a.re, ty)) } else { a };
        let log = self.complex_log(a, node)?;
        let product = self.complex_product(b, log, node)?;
        self.complex_exp(product, node)
    }
}
