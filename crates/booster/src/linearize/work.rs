//! How much computing an expression is, for cost models: operations with weights, each value once.
//!
//! Lives here: the weights, and the count. Never here: decisions.

use rustc_hash::{FxHashSet, FxHasher};
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};
use xaif::model::{Expr, NodeKind, Operation};

/// A multiplication; an addition is half of it. Other weights follow the throughput of current processors and mathematical libraries.
pub const MULTIPLICATION: u64 = 2;
/// An addition.
pub const ADDITION: u64 = 1;
const DIVISION: u64 = 8;
const ROOT: u64 = 10;
const FUNCTION: u64 = 40;
const POWER: u64 = 80;

/// An amount of computing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// All of it.
    pub all: u64,
    /// Divisions, roots and functions in it. Compilers find common sums and products themselves, and vectorize them.
    pub heavy: u64,
}

impl std::ops::Add for Load {
    type Output = Load;
    fn add(self, other: Load) -> Load {
        Load { all: self.all + other.all, heavy: self.heavy + other.heavy }
    }
}

impl std::ops::AddAssign for Load {
    fn add_assign(&mut self, other: Load) {
        *self = *self + other;
    }
}

impl Load {
    /// Additions, products and the like.
    pub fn light(all: u64) -> Load {
        Load { all, heavy: 0 }
    }
}

/// The computing of the statements of a sequence, statement by statement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Their right-hand sides.
    pub values: Load,
    /// One direction through their partial derivatives, apart from the right-hand sides: what an adjoint does behind them.
    pub adjoint: Load,
    /// Both, where what they have in common is computed once: what a tangent does.
    pub tangent: Load,
}

/// Counts values that it has not met.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    met: Met,
    /// The sum so far.
    pub sum: Load,
}

/// Numbers that were met: a few in most cases, which are looked through.
#[derive(Clone, Debug, Default)]
struct Met {
    few: SmallVec<[u64; FEW]>,
    more: FxHashSet<u64>,
}

/// So many numbers are looked through.
const FEW: usize = 16;

impl Met {
    /// Whether it is the first time.
    fn insert(&mut self, number: u64) -> bool {
        if self.few.contains(&number) {
            return false;
        }
        if self.few.len() < FEW {
            self.few.push(number);
            return true;
        }
        self.more.insert(number)
    }
}

/// Whether a power with these operands is a few products to compilers.
pub fn is_product(e: &Expr, operands: &[xaif::model::NodeId]) -> bool {
    let exponent = operands.get(1).and_then(|o| super::fold::number(&e.subexpr(*o)));
    exponent.is_some_and(|x| x.fract() == 0.0 && x.abs() <= 4.0)
}

fn weight(op: &Operation, e: &Expr, operands: &[xaif::model::NodeId]) -> u64 {
    match op.name.as_str() {
        "add_scal_scal" | "sub_scal_scal" => ADDITION,
        "minus_scal" | "plus_scal" | "real_scal" | "int_scal" | "abs_scal" | "sign_scal_scal" | "max_scal_scal" | "min_scal_scal"
        | "select" | "dim_scal_scal" => ADDITION,
        "mul_scal_scal" | "fma_scal_scal_scal" => MULTIPLICATION,
        "div_scal_scal" => DIVISION,
        "sqrt_scal" => ROOT,
        "pow_scal_scal" => {
            if is_product(e, operands) {
                2 * MULTIPLICATION
            } else {
                POWER
            }
        }
        _ => FUNCTION,
    }
}

fn hash(value: impl Hash) -> u64 {
    let mut h = FxHasher::default();
    value.hash(&mut h);
    h.finish()
}

/// What tells a vertex from others, apart from its operands; that different ones are taken for the same by accident does no harm here.
fn mark(kind: &NodeKind) -> u64 {
    match kind {
        NodeKind::Var(r) => {
            let mut h = FxHasher::default();
            r.symbol.hash(&mut h);
            for e in r.index_exprs() {
                for n in &e.nodes {
                    match &n.kind {
                        NodeKind::Const(c) => c.value.hash(&mut h),
                        NodeKind::Op(op) => op.name.hash(&mut h),
                        _ => n.operands.len().hash(&mut h),
                    }
                }
                e.for_each_ref(&mut |r| r.symbol.hash(&mut h));
            }
            h.finish()
        }
        NodeKind::Const(c) => hash((1u8, &c.value)),
        NodeKind::Op(op) => hash((2u8, &op.name)),
        NodeKind::Bool(op) => hash((3u8, *op as u8)),
        NodeKind::FunctionCall(s) => hash((4u8, s)),
    }
}

impl Tally {
    /// Adds an expression.
    pub fn add(&mut self, e: &Expr) {
        self.count(e, false);
    }

    /// Adds a factor that a derivative is multiplied by. Quotients by the same value share the division of the derivative.
    pub fn factor(&mut self, e: &Expr) {
        self.count(e, true);
    }

    fn count(&mut self, e: &Expr, factor: bool) {
        let mut numbers: SmallVec<[u64; FEW]> = SmallVec::new();
        for (i, n) in e.nodes.iter().enumerate() {
            let mut h = FxHasher::default();
            mark(&n.kind).hash(&mut h);
            n.operands.iter().for_each(|o| numbers[o.index()].hash(&mut h));
            let number = h.finish();
            numbers.push(number);
            let NodeKind::Op(op) = &n.kind else { continue };
            let quotient = factor && i + 1 == e.nodes.len() && op.name == "div_scal_scal";
            let key = match n.operands.get(1) {
                Some(o) if quotient => hash((5u8, numbers[o.index()])),
                _ => number,
            };
            if self.met.insert(key) {
                let all = weight(op, e, &n.operands);
                self.sum += Load { all, heavy: if all >= DIVISION { all } else { 0 } };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xaif::model::SymbolId;

    fn v(n: u32) -> Expr {
        Expr::sym(SymbolId(n))
    }

    #[test]
    fn values_count_once() {
        let mut t = Tally::default();
        let sine = Expr::op("sin_scal", [Expr::op("mul_scal_scal", [v(0), v(1)])]);
        t.add(&Expr::op("add_scal_scal", [sine.clone(), sine.clone()]));
        assert_eq!(t.sum.all, FUNCTION + MULTIPLICATION + ADDITION);
        t.add(&sine);
        assert_eq!(t.sum.all, FUNCTION + MULTIPLICATION + ADDITION);
        t.add(&Expr::op("sin_scal", [Expr::op("mul_scal_scal", [v(0), v(2)])]));
        assert_eq!(t.sum.all, 2 * (FUNCTION + MULTIPLICATION) + ADDITION);
    }

    #[test]
    fn quotients_by_one_value_divide_once() {
        // d(x/y): dx/y - (x/y)*dy/y
        let mut t = Tally::default();
        let quotient = Expr::op("div_scal_scal", [v(0), v(1)]);
        t.factor(&Expr::op("div_scal_scal", [Expr::int(1), v(1)]));
        t.factor(&Expr::op("div_scal_scal", [quotient, v(1)]));
        assert_eq!(t.sum.all, 2 * DIVISION);
    }
}
