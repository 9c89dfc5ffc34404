//! Random expressions: indices in bounds, functions inside their domains.
//!
//! Never here: statements.

use super::generate::{Generator, R64, SMALLEST, Variable, add, mul, op, square_plus, sub};
use xaif::model::*;

impl Generator {
    /// An index between 0 and n-1.
    pub(super) fn index(&mut self) -> Expr {
        match self.rng.below(6) {
            0 | 1 if !self.loops.is_empty() => self.rng.pick(&self.loops).map_or(Expr::int(0), |&i| Expr::sym(i)),
            2 => Expr::int(self.rng.below(SMALLEST as usize) as i64),
            3 if !self.loops.is_empty() => {
                let i = self.rng.pick(&self.loops).map_or(Expr::int(0), |&i| Expr::sym(i));
                op("modulo_scal_scal", [add(i, Expr::int(1)), Expr::sym(self.n)])
            }
            4 => match self.rng.pick(&self.tables).cloned() {
                Some(t) => {
                    let inner = op("modulo_scal_scal", [self.int(1), Expr::sym(self.n)]);
                    Expr::var(VarRef::element(t.symbol, [add(inner, Expr::int(t.lower))]))
                }
                None => Expr::int(0),
            },
            _ => op("modulo_scal_scal", [self.int(1), Expr::sym(self.n)]),
        }
    }

    pub(super) fn reference(&mut self, v: &Variable) -> VarRef {
        let indices: Vec<Expr> = (0..v.rank)
            .map(|_| {
                let i = self.index();
                if v.lower == 0 { i } else { add(i, Expr::int(v.lower)) }
            })
            .collect();
        VarRef::element(v.symbol, indices)
    }

    /// A small integer expression.
    pub(super) fn int(&mut self, depth: usize) -> Expr {
        let leaf = |g: &mut Self| match g.rng.below(4) {
            0 => Expr::int(g.rng.below(5) as i64),
            1 if !g.loops.is_empty() => g.rng.pick(&g.loops).map_or(Expr::int(1), |&i| Expr::sym(i)),
            2 => Expr::sym(g.n),
            _ => g.rng.pick(&g.ints).map_or(Expr::int(2), |&i| Expr::sym(i)),
        };
        if depth == 0 {
            return leaf(self);
        }
        let (a, b) = (self.int(depth - 1), leaf(self));
        match self.rng.below(6) {
            0 => add(a, b),
            1 => sub(a, b),
            2 => mul(a, b),
            3 => op("div_scal_scal", [a, Expr::int(1 + self.rng.below(3) as i64)]),
            4 => op("max_scal_scal", [a, b]),
            _ => a,
        }
    }

    pub(super) fn leaf(&mut self) -> Expr {
        match self.rng.below(10) {
            0 => Expr::real((self.rng.real() * 40.0).round() / 16.0, 64),
            1 => real_of(self.int(1)),
            _ => match self.rng.pick(&self.reals).cloned() {
                Some(v) => Expr::var(self.reference(&v)),
                None => Expr::real(0.75, 64),
            },
        }
    }

    /// A real expression whose functions stay inside their domains.
    pub(super) fn real(&mut self, depth: usize) -> Expr {
        if depth == 0 || self.rng.percent(15) {
            return self.leaf();
        }
        let a = self.real(depth - 1);
        if self.rng.percent(55) {
            let b = self.real(depth - 1);
            return match self.rng.below(9) {
                0 | 1 => add(a, b),
                2 => sub(a, b),
                3..=5 => mul(a, b),
                6 => op("div_scal_scal", [a, square_plus(1.5, b)]),
                7 => mul(op("sin_scal", [a]), b),
                _ => add(mul(Expr::real(0.5, 64), a), op("tanh_scal", [b])),
            };
        }
        let bounded = |a: Expr| op("sin_scal", [a]);
        let constant = |x: f64| Expr::real(x, 64);
        match self.rng.below(54) {
            0..=3 => op("sin_scal", [a]),
            4..=6 => op("cos_scal", [a]),
            7 => op("exp_scal", [bounded(a)]),
            8 => op("sqrt_scal", [square_plus(1.0, a)]),
            9 => op("ln_scal", [square_plus(2.0, a)]),
            10 => op("log10", [square_plus(2.0, a)]),
            11 => op("tan_scal", [bounded(a)]),
            12 => op("arcsin_scal", [mul(constant(0.9), bounded(a))]),
            13 => op("arccos_scal", [mul(constant(0.9), bounded(a))]),
            14 => op("arctan_scal", [a]),
            15 => op("sinh_scal", [bounded(a)]),
            16 => op("cosh_scal", [bounded(a)]),
            17 => op("tanh_scal", [a]),
            18 => op("abs_scal", [a]),
            19 => op("sign_scal_scal", [a, self.leaf()]),
            20 => op("mod_scal_scal", [a, constant(3.7)]),
            21 => op("modulo_scal_scal", [a, square_plus(2.3, self.leaf())]),
            22 => op("max_scal_scal", [a, self.leaf()]),
            23 => op("min_scal_scal", [a, self.leaf()]),
            24 => op("dim_scal_scal", [a, self.leaf()]),
            25 => op("arctan2_scal_scal", [a, square_plus(2.0, self.leaf())]),
            26 => op("hypot_scal_scal", [a, square_plus(1.0, self.leaf())]),
            27 => op("cbrt_scal", [square_plus(1.5, a)]),
            28 => op("exp2_scal", [bounded(a)]),
            29 => op("expm1_scal", [bounded(a)]),
            30 => op("log1p_scal", [mul(a.clone(), a)]),
            31 => op("log2_scal", [square_plus(2.0, a)]),
            32 => op("erf_scal", [a]),
            33 => op("erfc_scal", [a]),
            34 => op("gamma_scal", [add(constant(2.5), bounded(a))]),
            35 => op("lgamma_scal", [add(constant(2.5), bounded(a))]),
            36 => op("arcsinh_scal", [a]),
            37 => op("arccosh_scal", [square_plus(1.5, a)]),
            38 => op("arctanh_scal", [mul(constant(0.8), bounded(a))]),
            39 => {
                let (b, c) = (self.leaf(), self.leaf());
                op("fma_scal_scal_scal", [a, b, c])
            }
            40 => {
                let (c, b) = (self.condition(), self.leaf());
                op("select", [c, a, b])
            }
            41 => op("pow_scal_scal", [square_plus(1.1, bounded(a)), self.leaf_bounded()]),
            42 => op("pow_scal_scal", [a, Expr::int(2 + self.rng.below(2) as i64)]),
            43 => op("pow_scal_scal", [square_plus(1.1, a), constant(0.7)]),
            44 => op("minus_scal", [a]),
            45 => add(op("floor_scal", [mul(constant(1.7), a.clone())]), a),
            46 => add(op("round_scal", [a.clone()]), a),
            47 => add(op("ceil_scal", [a.clone()]), a),
            48 => add(op("trunc_scal", [mul(constant(1.3), a.clone())]), a),
            49 => mul(a.clone(), real_of(op("nint_scal", [mul(constant(0.7), bounded(a))]))),
            50 => mul(a.clone(), real_of(op("int_scal", [mul(constant(2.7), bounded(a))]))),
            51 => mul(a.clone(), op("digamma_scal", [add(constant(3.5), real_of(op("modulo_scal_scal", [self.int(1), Expr::int(3)])))])),
            52 => op("pow_scal_scal", [square_plus(1.2, a), Expr::int(-2)]),
            _ => mul(a.clone(), a),
        }
    }

    pub(super) fn leaf_bounded(&mut self) -> Expr {
        op("sin_scal", [self.leaf()])
    }

    pub(super) fn condition(&mut self) -> Expr {
        let relations = [BoolOp::LessThan, BoolOp::LessOrEqual, BoolOp::GreaterThan, BoolOp::GreaterOrEqual];
        let r = relations[self.rng.below(4)];
        match self.rng.below(8) {
            0 | 1 => {
                let (a, b) = (self.int(1), Expr::int(self.rng.below(5) as i64));
                Expr::boolean(r, [a, b])
            }
            2 => {
                let (a, b) = (self.int(1), self.int(0));
                Expr::boolean([BoolOp::Equal, BoolOp::NotEqual][self.rng.below(2)], [a, b])
            }
            3 => {
                let (a, b) = (self.condition_leaf(r), self.condition_leaf(r));
                Expr::boolean([BoolOp::And, BoolOp::Or][self.rng.below(2)], [a, b])
            }
            4 => {
                let a = self.condition_leaf(r);
                Expr::boolean(BoolOp::Not, [a])
            }
            _ => self.condition_leaf(r),
        }
    }

    pub(super) fn condition_leaf(&mut self, r: BoolOp) -> Expr {
        let a = self.leaf();
        let b = if self.rng.percent(50) { self.leaf() } else { Expr::real(self.rng.real(), 64) };
        Expr::boolean(r, [a, b])
    }
}

/// An integer as a double.
pub(super) fn real_of(e: Expr) -> Expr {
    if e.as_constant().is_some() {
        return Expr::real(e.as_int().unwrap_or(1) as f64, 64);
    }
    Expr::op_typed("real_scal", R64, "double", [e])
}
