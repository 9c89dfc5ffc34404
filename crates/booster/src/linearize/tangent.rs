//! The derivative of an expression in nested form.
//!
//! d(node) = sum of factor * d(operand), put together from the leaves upward, so that common factors stay outside: the
//! derivative of `sin(x*y)` is `cos(x*y)*(y*xd + x*yd)`. Linear reductions keep their array form. Never here: statements.

use super::fold::{self, Fold};
use super::{Factor, factor};
use xaif::catalogue::{Catalogue, ResultShape};
use xaif::model::{Expr, NodeId, NodeKind, Op, VarRef};
use xaif::{Diagnostic, Program, types};

/// Why there is no derivative in nested form.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    /// There is none in array form: the statement has to be written as loops first.
    NeedsLoops,
    /// There is none at all; a diagnostic without location.
    Unsupported(Diagnostic),
}

impl From<Diagnostic> for Refusal {
    fn from(d: Diagnostic) -> Self {
        Refusal::Unsupported(d)
    }
}

/// The derivative of an expression; `None` where it is zero. `derivative` maps an active reference to its derivative and gives `None` for a passive one.
///
/// # Errors
/// As [`super::local_partials`]; and where an array operation must be written as loops first.
pub fn tangent_expr(
    program: &Program,
    catalogue: &Catalogue,
    expr: &Expr,
    derivative: &dyn Fn(&VarRef) -> Option<VarRef>,
) -> Result<Option<Expr>, Refusal> {
    let mut nested = Nested { program, catalogue, expr, types: types::of_expr(program, expr), d: Vec::with_capacity(expr.nodes.len()) };
    for (i, node) in expr.nodes.iter().enumerate() {
        let d = match &node.kind {
            NodeKind::Var(r) if nested.types[i].elem.is_real() => derivative(r).map(Expr::var),
            NodeKind::Op(op) => nested.operation(i, op)?,
            NodeKind::FunctionCall(_) => nested.factors(i).map(|_| None)?,
            NodeKind::Var(_) | NodeKind::Const(_) | NodeKind::Bool(_) => None,
        };
        nested.d.push(d);
    }
    let derivative = nested.d.pop().flatten();
    if derivative.as_ref().is_some_and(|d| chooses_by_element(program, d)) || chooses_by_element(program, expr) {
        return Err(Refusal::NeedsLoops);
    }
    Ok(derivative)
}

/// An expression on the way to its derivative.
struct Nested<'a> {
    program: &'a Program,
    catalogue: &'a Catalogue,
    expr: &'a Expr,
    types: Vec<types::ValueType>,
    /// The derivatives of the vertices so far.
    d: Vec<Option<Expr>>,
}

impl Nested<'_> {
    /// The factors of the operands that have a derivative.
    fn factors(&self, i: usize) -> Result<Vec<Option<Factor>>, Refusal> {
        let operands = self.expr.nodes[i].operands.iter().enumerate();
        let of = |(k, o): (usize, &NodeId)| match self.d[o.index()] {
            Some(_) => factor(self.program, self.catalogue, self.expr, &self.types, i, k),
            None => Ok(None),
        };
        Ok(operands.map(of).collect::<Result<_, Diagnostic>>()?)
    }

    /// The derivative of an operand.
    fn taken(&self, i: usize, k: usize) -> Option<Expr> {
        self.expr.nodes[i].operands.get(k).and_then(|o| self.d[o.index()].clone())
    }

    /// The derivative of an operation.
    fn operation(&self, i: usize, op: &Op) -> Result<Option<Expr>, Refusal> {
        let (expr, w) = (self.expr, Fold { program: self.program });
        let node = &expr.nodes[i];
        let factors = self.factors(i)?;
        if !factors.iter().any(Option::is_some) {
            return Ok(None);
        }
        let live = |k: usize| factors.get(k).is_some_and(Option::is_some);
        let taken = |k: usize| self.taken(i, k);
        let kept = |t: Expr| Expr::node(NodeKind::Op(op.clone()), [t]);
        let shape = self.catalogue.get(&op.name).map_or(ResultShape::Elementwise, |e| e.shape);
        if shape != ResultShape::Elementwise {
            // The derivative of a broadcast scalar is a scalar, which a reduction would not count for each element.
            for (k, o) in node.operands.iter().enumerate() {
                if live(k) && taken(k).is_some_and(|t| types::of(self.program, &t).rank != self.types[o.index()].rank) {
                    return Err(Refusal::NeedsLoops);
                }
            }
        }
        Ok(match op.name.as_str() {
            "select" => Some(self.choice(i)?),
            // A conversion converts the derivative as well.
            "real_scal" => taken(0).map(kept),
            "sum_arr" | "transpose_arr" if node.operands.len() == 1 => taken(0).map(kept),
            "dot_product_arr" | "matmul_arr" if node.operands.len() == 2 => {
                let (a, b) = (node.operands[0], node.operands[1]);
                let left = taken(0).map(|t| Expr::node(NodeKind::Op(op.clone()), [t, expr.subexpr(b)]));
                let right = taken(1).map(|t| Expr::node(NodeKind::Op(op.clone()), [expr.subexpr(a), t]));
                match (left, right) {
                    (Some(l), Some(r)) => Some(w.add(l, r)),
                    (l, r) => l.or(r),
                }
            }
            _ if shape != ResultShape::Elementwise => return Err(Refusal::NeedsLoops),
            "mul_scal_scal" if live(0) && live(1) && expr.subexpr(node.operands[0]) == expr.subexpr(node.operands[1]) => {
                // x*x: 2*x*xd
                let x = expr.subexpr(node.operands[0]);
                taken(0).map(|t| w.mul(w.mul(fold::real(2.0, None, self.types[i].elem), x), t))
            }
            _ => {
                let term = |(k, f): (usize, &Option<Factor>)| Some(f.as_ref()?.times(self.program, taken(k)?));
                factors.iter().enumerate().filter_map(term).reduce(|sum, term| w.add(sum, term))
            }
        })
    }

    /// The derivative of `select`: the same choice of derivatives.
    fn choice(&self, i: usize) -> Result<Expr, Refusal> {
        let (Some(&c), ty) = (self.expr.nodes[i].operands.first(), self.types[i].elem) else { return Err(Refusal::NeedsLoops) };
        let branch = |k: usize| self.taken(i, k).unwrap_or_else(|| fold::zero(ty));
        let chosen = Fold { program: self.program }.select(self.expr.subexpr(c), branch(1), branch(2));
        if types::of(self.program, &chosen).rank != self.types[i].rank {
            return Err(Refusal::NeedsLoops);
        }
        Ok(chosen)
    }
}

/// Whether an operand of something else is chosen for each element of an array: a statement can say that only of its whole right side.
fn chooses_by_element(program: &Program, e: &Expr) -> bool {
    let is_select = |n: &xaif::model::Node| matches!(&n.kind, NodeKind::Op(op) if op.name == "select");
    if !e.nodes.iter().any(is_select) {
        return false;
    }
    let types = types::of_expr(program, e);
    let mut at_top = vec![false; e.nodes.len()];
    if let Some(root) = at_top.last_mut() {
        *root = true;
    }
    for (i, n) in e.nodes.iter().enumerate().rev().filter(|(_, n)| is_select(n)) {
        if at_top[i] {
            n.operands.iter().skip(1).for_each(|o| at_top[o.index()] = true);
        } else if types[i].rank > 0 {
            return true;
        }
    }
    false
}
