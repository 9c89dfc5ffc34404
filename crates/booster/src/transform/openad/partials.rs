//! The derivative of one assignment as a sum of terms: factor times derivative of a leaf.
//!
//! The factor of a leaf is the sum over all paths from it to the root of the products of local partial derivatives (the chain rule on the
//! statement's term graph, paper 002, section 3).

use crate::linearize::{Factor, local_partials};
use xaif::Diagnostic;
use xaif::catalogue::Catalogue;
use xaif::model::{Expr, NodeKind, Program, VarRef};

/// One active leaf with its factor.
#[derive(Clone, Debug)]
pub struct Term {
    /// The leaf.
    pub leaf: VarRef,
    /// Its factor.
    pub factor: Factor,
}

/// The derivative of an assignment.
#[derive(Clone, Debug, Default)]
pub struct Linearized {
    /// Its terms.
    pub terms: Vec<Term>,
    /// The products of local partial derivatives in their factors.
    pub products: usize,
}

fn times(a: &Factor, b: &Factor) -> Factor {
    match (a, b) {
        (Factor::One, f) | (f, Factor::One) => f.clone(),
        (Factor::MinusOne, Factor::MinusOne) => Factor::One,
        (Factor::MinusOne, Factor::Value(e)) | (Factor::Value(e), Factor::MinusOne) => Factor::Value(Expr::op("minus_scal", [e.clone()])),
        (Factor::Value(x), Factor::Value(y)) => Factor::Value(Expr::op("mul_scal_scal", [x.clone(), y.clone()])),
    }
}

fn plus(a: Factor, b: Factor, bits: u16) -> Factor {
    let value = |f: Factor| match f {
        Factor::One => Expr::real(1.0, bits),
        Factor::MinusOne => Expr::real(-1.0, bits),
        Factor::Value(e) => e,
    };
    Factor::Value(Expr::op("add_scal_scal", [value(a), value(b)]))
}

/// The terms of an expression, leaves in the order of the term graph.
///
/// # Errors
/// An operation on an active value whose derivative is not known, or whose result has another shape than its operand.
pub fn terms(program: &Program, catalogue: &Catalogue, rhs: &Expr) -> Result<Linearized, Diagnostic> {
    let partials =
        local_partials(program, catalogue, rhs, &|r: &VarRef| program.symbol(r.symbol).active && program.symbol(r.symbol).ty.is_real())?;
    let node_types = &partials.types;
    let mut adjoint: Vec<Option<Factor>> = vec![None; rhs.nodes.len()];
    if let Some(root) = adjoint.last_mut() {
        *root = Some(Factor::One);
    }
    let mut out = Linearized::default();
    for (i, node) in rhs.nodes.iter().enumerate().rev() {
        let Some(here) = adjoint[i].clone() else { continue };
        if !partials.active[i] {
            continue;
        }
        if let NodeKind::Var(leaf) = &node.kind {
            out.terms.push(Term { leaf: leaf.clone(), factor: here });
            continue;
        }
        for (k, operand) in node.operands.iter().enumerate() {
            let o = operand.index();
            let Some(Some(factor)) = partials.factors[i].get(k) else { continue };
            if !partials.active[o] {
                continue;
            }
            if node_types[o].rank > node_types[i].rank {
                return Err(Diagnostic::error("OB4082", "a reduction of an active array cannot be propagated in the openad dialect")
                    .because("its derivative is no elementwise product")
                    .help("write the reduction as a loop"));
            }
            let through = times(&here, factor);
            out.products += usize::from(matches!((&here, factor), (Factor::Value(_), Factor::Value(_))));
            adjoint[o] = Some(match adjoint[o].take() {
                None => through,
                Some(before) => plus(before, through, node_types[o].elem.bits),
            });
        }
    }
    out.terms.reverse();
    Ok(out)
}
