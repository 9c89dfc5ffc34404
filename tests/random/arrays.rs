//! Random statements on whole arrays and sections.
//!
//! Never here: elements.

use super::generate::{Generator, N, Role, Variable, add, mul, op};
use super::tree::Item;
use xaif::model::*;

impl Generator {
    /// Arrays of so many dimensions, all with the extents of the unit.
    fn arrays_of(&self, rank: usize, written: bool) -> Vec<Variable> {
        let own = |v: &&Variable| v.rank == rank && v.role != Role::Global && (!written || v.writable());
        self.reals.iter().filter(own).cloned().collect()
    }

    pub(super) fn array_statement(&mut self) -> Vec<Item> {
        if self.rng.percent(20) {
            return self.matrix_statement();
        }
        let (vectors, targets) = (self.arrays_of(1, false), self.arrays_of(1, true));
        let (Some(t), Some(a), Some(b)) =
            (self.rng.pick(&targets).cloned(), self.rng.pick(&vectors).cloned(), self.rng.pick(&vectors).cloned())
        else {
            return self.assignment();
        };
        let scalar = self.leaf();
        let whole = |v: &Variable| Expr::sym(v.symbol);
        match self.rng.below(12) {
            0 => vec![Item::Assign(VarRef::whole(t.symbol), add(mul(scalar, whole(&a)), op("sin_scal", [whole(&b)])))],
            1 => vec![Item::Assign(VarRef::whole(t.symbol), mul(whole(&a), op("cos_scal", [whole(&b)])))],
            2 => {
                let at = self.reference(&t);
                vec![Item::Assign(at, op("sum_arr", [mul(whole(&a), whole(&b))]))]
            }
            3 => vec![Item::Assign(VarRef::whole(t.symbol), scalar)],
            4 => {
                let at = self.reference(&t);
                vec![Item::Assign(at, op("dot_product_arr", [whole(&a), whole(&b)]))]
            }
            5 => {
                let at = self.reference(&t);
                let name = ["maxval_arr", "minval_arr"][self.rng.below(2)];
                vec![Item::Assign(at, op(name, [whole(&a)]))]
            }
            6 => {
                let name = ["max_scal_scal", "min_scal_scal"][self.rng.below(2)];
                vec![Item::Assign(VarRef::whole(t.symbol), op(name, [whole(&a), whole(&b)]))]
            }
            _ => {
                let length = 2 + self.rng.below(2) as i64;
                let (lhs, x, y) = (self.section(&t, length), self.section(&a, length), self.section(&b, length));
                let (x, y) = (Expr::var(x), Expr::var(y));
                let rhs = match self.rng.below(5) {
                    0 => x,
                    1 => add(Expr::var(lhs.clone()), mul(scalar, x)),
                    2 => mul(x, y),
                    3 => op("sum_arr", [mul(x, y)]),
                    _ => add(op("sin_scal", [x]), mul(scalar, y)),
                };
                vec![Item::Assign(lhs, rhs)]
            }
        }
    }

    /// So many elements of a vector, forward or backward, one after the other or every second one.
    fn section(&mut self, v: &Variable, length: i64) -> VarRef {
        let smallest = N - 1;
        let step = if length == 2 { [1, 1, 2, -1, -2][self.rng.below(5)] } else { [1, 1, -1][self.rng.below(3)] };
        let span = (length - 1) * step;
        let room = smallest - 1 - span.abs();
        let low = v.lower + self.rng.below(room as usize + 1) as i64;
        let (first, last) = if step > 0 { (low, low + span) } else { (low - span, low) };
        let stride = (step != 1).then(|| Expr::int(step));
        let t = Triplet { index: Some(Expr::int(first)), bound: Some(Expr::int(last)), stride };
        VarRef { subscripts: vec![t].into(), ..VarRef::whole(v.symbol) }
    }

    /// A row or column of a matrix, forward or backward.
    fn line_of(&mut self, v: &Variable) -> VarRef {
        let at = add(self.index(), Expr::int(v.lower));
        let mut subscripts = vec![Triplet::default(), Triplet::element(at)];
        if self.rng.percent(50) {
            subscripts.reverse();
        }
        VarRef { subscripts: subscripts.into(), ..VarRef::whole(v.symbol) }
    }

    /// So many rows and columns of a matrix.
    fn block(&mut self, v: &Variable, rows: i64, columns: i64) -> VarRef {
        let mut range = |length: i64| {
            let low = v.lower + self.rng.below((N - length) as usize) as i64;
            Triplet { index: Some(Expr::int(low)), bound: Some(Expr::int(low + length - 1)), stride: None }
        };
        let subscripts = vec![range(rows), range(columns)];
        VarRef { subscripts: subscripts.into(), ..VarRef::whole(v.symbol) }
    }

    fn matrix_statement(&mut self) -> Vec<Item> {
        let (matrices, targets) = (self.arrays_of(2, false), self.arrays_of(2, true));
        let (Some(t), Some(a), Some(b)) =
            (self.rng.pick(&targets).cloned(), self.rng.pick(&matrices).cloned(), self.rng.pick(&matrices).cloned())
        else {
            return self.assignment();
        };
        let whole = |v: &Variable| Expr::sym(v.symbol);
        let vectors = self.arrays_of(1, true);
        let scalar = self.leaf();
        match self.rng.below(10) {
            4 => match (self.rng.pick(&vectors).cloned(), self.line_of(&t)) {
                // A row or column of one matrix from one of another, and a vector.
                (Some(x), lhs) => {
                    let (p, q) = (Expr::var(self.line_of(&a)), Expr::var(self.line_of(&b)));
                    vec![Item::Assign(lhs, add(mul(p, whole(&x)), mul(scalar, q)))]
                }
                _ => self.assignment(),
            },
            5 => match self.rng.pick(&vectors).cloned() {
                Some(x) => {
                    let at = self.reference(&x);
                    let p = Expr::var(self.line_of(&a));
                    let name = ["dot_product_arr", "sum_arr", "maxval_arr"][self.rng.below(3)];
                    let operands = if name == "dot_product_arr" { vec![p, whole(&x)] } else { vec![mul(p, whole(&x))] };
                    vec![Item::Assign(at, op(name, operands))]
                }
                None => self.assignment(),
            },
            6 | 7 => {
                // Blocks of both, which may overlap in one matrix.
                let (h, w) = (1 + self.rng.below(2) as i64, 2);
                let (lhs, p, q) = (self.block(&t, h, w), self.block(&a, h, w), self.block(&b, h, w));
                let (p, q) = (Expr::var(p), Expr::var(q));
                let rhs = match self.rng.below(3) {
                    0 => p,
                    1 => add(Expr::var(lhs.clone()), mul(p, q)),
                    _ => op("sum_arr", [mul(op("sin_scal", [p]), q)]),
                };
                vec![Item::Assign(lhs, rhs)]
            }
            8 => match self.rng.pick(&vectors).cloned() {
                Some(y) => {
                    let x = Expr::var(self.line_of(&b));
                    let (l, r) = if self.rng.percent(50) { (whole(&a), x) } else { (x, whole(&a)) };
                    vec![Item::Assign(VarRef::whole(y.symbol), op("matmul_arr", [l, r]))]
                }
                None => self.assignment(),
            },
            0 => vec![Item::Assign(VarRef::whole(t.symbol), add(whole(&a), mul(scalar, whole(&b))))],
            1 => vec![Item::Assign(VarRef::whole(t.symbol), op("transpose_arr", [whole(&a)]))],
            2 => vec![Item::Assign(VarRef::whole(t.symbol), op("matmul_arr", [whole(&a), whole(&b)]))],
            _ => match (self.rng.pick(&vectors).cloned(), self.rng.pick(&vectors).cloned()) {
                (Some(y), Some(x)) => vec![Item::Assign(VarRef::whole(y.symbol), op("matmul_arr", [whole(&a), whole(&x)]))],
                _ => self.assignment(),
            },
        }
    }
}
