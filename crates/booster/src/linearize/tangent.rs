//! The derivative of an expression in nested form.
//!
//! d(node) = sum of factor * d(operand), put together from the leaves upward, so that common factors stay outside: the
//! derivative of `sin(x*y)` is `cos(x*y)*(y*xd + x*yd)`. Linear reductions keep their array form. Never here: statements.

use super::fold::{self, Fold};
use super::{Factor, factor};
use xaif::catalogue::{Catalogue, ResultShape};
use xaif::model::{Expr, NodeKind, VarRef};
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
    let w = Fold { program };
    let types = types::of_expr(program, expr);
    let mut d: Vec<Option<Expr>> = Vec::with_capacity(expr.nodes.len());
    for (i, node) in expr.nodes.iter().enumerate() {
        let op = match &node.kind {
            NodeKind::Var(r) => {
                d.push(if types[i].elem.is_real() { derivative(r).map(Expr::var) } else { None });
                continue;
            }
            NodeKind::Op(op) => op,
            NodeKind::FunctionCall(_) => {
                for (k, o) in node.operands.iter().enumerate() {
                    if d[o.index()].is_some() {
                        factor(program, catalogue, expr, &types, i, k)?;
                    }
                }
                d.push(None);
                continue;
            }
            NodeKind::Const(_) | NodeKind::Bool(_) => {
                d.push(None);
                continue;
            }
        };
        let mut factors: Vec<Option<Factor>> = Vec::with_capacity(node.operands.len());
        for (k, o) in node.operands.iter().enumerate() {
            factors.push(if d[o.index()].is_some() { factor(program, catalogue, expr, &types, i, k)? } else { None });
        }
        let live = |k: usize| factors.get(k).is_some_and(Option::is_some);
        let operand = |k: usize| node.operands.get(k).copied();
        let taken = |k: usize| operand(k).and_then(|o| d[o.index()].clone());
        if !factors.iter().any(Option::is_some) {
            d.push(None);
            continue;
        }
        let shape = catalogue.get(&op.name).map_or(ResultShape::Elementwise, |e| e.shape);
        if shape != ResultShape::Elementwise {
            // The derivative of a broadcast scalar is a scalar, which a reduction would not count for each element.
            for (k, o) in node.operands.iter().enumerate() {
                if live(k) && taken(k).is_some_and(|t| types::of(program, &t).rank != types[o.index()].rank) {
                    return Err(Refusal::NeedsLoops);
                }
            }
        }
        let result = match op.name.as_str() {
            "select" => {
                let (Some(c), ty) = (operand(0), types[i].elem) else { return Err(Refusal::NeedsLoops) };
                let branch = |k: usize| taken(k).unwrap_or_else(|| fold::zero(ty));
                let chosen = w.select(expr.subexpr(c), branch(1), branch(2));
                if types::of(program, &chosen).rank != types[i].rank {
                    return Err(Refusal::NeedsLoops);
                }
                Some(chosen)
            }
            // A conversion converts the derivative as well.
            "real_scal" => taken(0).map(|t| Expr::node(NodeKind::Op(op.clone()), [t])),
            "sum_arr" | "transpose_arr" if node.operands.len() == 1 => taken(0).map(|t| Expr::node(NodeKind::Op(op.clone()), [t])),
            "dot_product_arr" | "matmul_arr" if node.operands.len() == 2 => {
                let (Some(a), Some(b)) = (operand(0), operand(1)) else { return Err(Refusal::NeedsLoops) };
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
                taken(0).map(|t| w.mul(w.mul(fold::real(2.0, None, types[i].elem), x), t))
            }
            _ => {
                let mut sum: Option<Expr> = None;
                for (k, f) in factors.iter().enumerate() {
                    if let (Some(f), Some(t)) = (f, taken(k)) {
                        let term = f.times(program, t);
                        sum = Some(match sum {
                            Some(s) => w.add(s, term),
                            None => term,
                        });
                    }
                }
                sum
            }
        };
        d.push(result);
    }
    let derivative = d.pop().flatten();
    if derivative.as_ref().is_some_and(|d| chooses_by_element(program, d)) || chooses_by_element(program, expr) {
        return Err(Refusal::NeedsLoops);
    }
    Ok(derivative)
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
