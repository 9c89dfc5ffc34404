//! Partial derivatives of statements.
//!
//! [`local_partials`] gives the factor on every edge of a term graph, for whoever multiplies along its paths;
//! [`tangent_expr`] gives the derivative of the whole expression in nested form. Both take their rules from the intrinsic
//! catalogue alone. [`flatten`] makes linearized computational graphs ([`graph`]) of statement sequences. Never here: which variables are active,
//! control flow.

pub mod flatten;
pub mod fold;
pub mod graph;
mod partial;
pub mod places;
mod tangent;
pub mod work;

pub use tangent::{Refusal, tangent_expr};

use fold::Fold;
use partial::Context;
use smallvec::SmallVec;
use xaif::catalogue::{Catalogue, PartialKind, ResultShape};
use xaif::model::{BaseType, ElemType, Expr, Node, NodeKind, VarRef};
use xaif::types::{self, ValueType};
use xaif::{Diagnostic, Program};

/// The factor on an edge: the derivative of a vertex with respect to one operand.
#[derive(Clone, Debug, PartialEq)]
pub enum Factor {
    /// 1
    One,
    /// -1
    MinusOne,
    /// A pure expression over primal variables, already simplified; never the constants 0, 1, -1.
    Value(Expr),
}

impl Factor {
    /// The factor of a simplified expression; `None` for zero.
    pub fn from_expr(e: Expr) -> Option<Factor> {
        match fold::number(&e) {
            Some(0.0) => None,
            Some(1.0) => Some(Factor::One),
            Some(-1.0) => Some(Factor::MinusOne),
            _ => Some(Factor::Value(e)),
        }
    }

    /// factor * derivative, simplified.
    pub fn times(&self, program: &Program, derivative: Expr) -> Expr {
        match self {
            Factor::One => derivative,
            Factor::MinusOne => Fold { program }.neg(derivative),
            Factor::Value(e) => Fold { program }.times(e.clone(), derivative),
        }
    }

    /// The factor as an expression of that type.
    pub fn to_expr(&self, ty: ElemType) -> Expr {
        match self {
            Factor::One => fold::real(1.0, None, ty),
            Factor::MinusOne => fold::real(-1.0, None, ty),
            Factor::Value(e) => e.clone(),
        }
    }
}

/// The linearized form of one expression, vertex by vertex.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LocalPartials {
    /// For each vertex: does an active reference reach it along differentiable edges?
    pub active: Vec<bool>,
    /// For each vertex and each of its operands the factor; `None` where the operand is passive or the partial is zero.
    pub factors: Vec<SmallVec<[Option<Factor>; 2]>>,
    /// For each vertex its type.
    pub types: Vec<ValueType>,
}

/// The factors on the edges of an expression whose operations are elementwise.
///
/// The derivative of `select(c, a, b)` is a choice between derivatives; its factors `select(c, 1, 0)` are right as numbers, but whoever
/// multiplies along paths should put the choice outermost: what stands in the operand that is not chosen may not be defined.
///
/// # Errors
/// A diagnostic without location: an operation that is not known, that has no derivative, or that is not elementwise, above
/// an active operand; complex numbers.
pub fn local_partials(
    program: &Program,
    catalogue: &Catalogue,
    expr: &Expr,
    is_active: &dyn Fn(&VarRef) -> bool,
) -> Result<LocalPartials, Diagnostic> {
    let types = types::of_expr(program, expr);
    let count = expr.nodes.len();
    let (mut all_active, mut all_factors) = (Vec::with_capacity(count), Vec::with_capacity(count));
    for (i, node) in expr.nodes.iter().enumerate() {
        let mut factors: SmallVec<[Option<Factor>; 2]> = SmallVec::new();
        let mut active = false;
        match &node.kind {
            NodeKind::Var(r) => active = types[i].elem.is_real() && is_active(r),
            _ => {
                for (k, o) in node.operands.iter().enumerate() {
                    let factor = if all_active[o.index()] { factor(program, catalogue, expr, &types, i, k)? } else { None };
                    active |= factor.is_some();
                    factors.push(factor);
                }
            }
        }
        if active && let NodeKind::Op(op) = &node.kind {
            let shape = catalogue.get(&op.name).map_or(ResultShape::Elementwise, |e| e.shape);
            if shape != ResultShape::Elementwise {
                return Err(Diagnostic::error("OB4018", format!("{} of an active array has no elementwise derivative", op.name))
                    .help("write it as a loop over the elements"));
            }
        }
        all_active.push(active);
        all_factors.push(factors);
    }
    Ok(LocalPartials { active: all_active, factors: all_factors, types })
}

/// The factor of vertex `node` with respect to its operand `k`, which is active.
fn factor(
    program: &Program,
    catalogue: &Catalogue,
    expr: &Expr,
    types: &[ValueType],
    node: usize,
    k: usize,
) -> Result<Option<Factor>, Diagnostic> {
    let n: &Node = &expr.nodes[node];
    let op = match &n.kind {
        NodeKind::Op(op) => op,
        NodeKind::Bool(_) | NodeKind::Var(_) | NodeKind::Const(_) => return Ok(None),
        NodeKind::FunctionCall(s) => {
            return Err(Diagnostic::error(
                "OB4011",
                format!("call of {} inside an expression with an active argument", program.symbol(*s).name),
            )
            .because("calls of units must be statements of their own"));
        }
    };
    let Some(entry) = catalogue.get(&op.name) else {
        return Err(Diagnostic::error("OB4012", format!("{} is not known and has an active operand", op.name))
            .because("without its partial derivatives the dependence would be lost")
            .help("replace it by known operations, or supply it as a unit of the program"));
    };
    let Some(partial) = entry.partials.get(k) else {
        return Err(Diagnostic::error("OB4013", format!("{} takes {} operands but has {}", op.name, entry.arity, n.operands.len())));
    };
    if partial.inquiry || (partial.kind == PartialKind::Passive && op.name != "transfer") {
        return Ok(None);
    }
    let complex = |t: &ValueType| t.elem.base == BaseType::Complex;
    if complex(&types[node]) || n.operands.iter().any(|o| complex(&types[o.index()])) {
        return Err(Diagnostic::error("OB4014", format!("{} of complex numbers with an active operand", op.name))
            .because("complex derivatives are not supported")
            .help("write real and imaginary part as two real variables"));
    }
    if op.name == "transfer" {
        return Err(Diagnostic::error("OB4015", "TRANSFER of an active value").because("bits have no derivative"));
    }
    if !types[node].elem.is_real() {
        return Ok(None);
    }
    Ok(match partial.kind {
        PartialKind::Passive => None,
        PartialKind::One => Some(Factor::One),
        PartialKind::MinusOne => Some(Factor::MinusOne),
        PartialKind::Linear | PartialKind::Nonlinear => {
            let context = Context { program, expr, types, node };
            Factor::from_expr(context.write_out(partial)?)
        }
        PartialKind::Unsupported => {
            return Err(Diagnostic::error(
                "OB4016",
                format!("the derivative of {} with respect to argument {} is not supported", op.name, k + 1),
            )
            .because(if entry.ties.is_empty() {
                "it cannot be written with known operations".to_owned()
            } else {
                entry.ties.clone()
            }));
        }
    })
}

#[cfg(test)]
mod flatten_tests;
#[cfg(test)]
pub(crate) mod tests;
