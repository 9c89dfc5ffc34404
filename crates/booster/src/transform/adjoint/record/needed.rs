//! Where adjoints of assignments read values in any case, as far as the form of the right-hand side tells.
//!
//! ```text
//! y = a*b + c        with active a: b,  with active b: a,  never c
//! y = a/b            with active a: b,  with active b: both
//! y = f(a, b)        with an active argument: both
//! ```
//!
//! Lives here: this estimate, which is about cost: what is recorded is decided from what adjoints read. Never here: that decision.

use crate::transform::adjoint::code::tree::{Item, ItemKind};
use crate::transform::adjoint::code::writes::Places;
use xaif::model::{Expr, NodeKind, StmtKind, SymbolId};

/// Notes for each variable the assignments whose adjoints read it. `active` tells which variables have derivatives.
pub(crate) fn values(items: &[Item], active: &dyn Fn(SymbolId) -> bool, out: &mut Places) {
    for item in items {
        match &item.kind {
            ItemKind::Stmt(s) => {
                if let StmtKind::Assignment { lhs, rhs } = &s.kind
                    && active(lhs.symbol)
                    && !lhs.is_passive()
                {
                    of(rhs, active, &mut |v| out.add(v, item.id));
                }
            }
            ItemKind::Branch { arms, .. } => arms.iter().for_each(|a| values(&a.body, active, out)),
            ItemKind::Loop { body, .. } => values(body, active, out),
        }
    }
}

/// The variables in the partial derivatives of an expression.
fn of(e: &Expr, active: &dyn Fn(SymbolId) -> bool, visit: &mut dyn FnMut(SymbolId)) {
    let mut varied: Vec<bool> = Vec::with_capacity(e.nodes.len());
    for n in &e.nodes {
        let own = matches!(&n.kind, NodeKind::Var(r) if active(r.symbol) && !r.is_passive());
        varied.push(own || n.operands.iter().any(|o| varied[o.index()]));
    }
    // Vertices whose values are read, from the root downward.
    let mut read = vec![false; e.nodes.len()];
    for (k, n) in e.nodes.iter().enumerate().rev() {
        let name = match &n.kind {
            NodeKind::Op(op) => op.name.as_str(),
            NodeKind::Var(r) => {
                if read[k] {
                    visit(r.symbol);
                }
                continue;
            }
            _ => "",
        };
        let is_varied = |o: usize| n.operands.get(o).is_some_and(|o| varied[o.index()]);
        for (o, operand) in n.operands.iter().enumerate() {
            read[operand.index()] |= read[k]
                || match name {
                    "add_scal_scal" | "sub_scal_scal" | "minus_scal" | "plus_scal" | "real_scal" => false,
                    "mul_scal_scal" => is_varied(1 - o.min(1)),
                    "div_scal_scal" => is_varied(1) || o == 1 && is_varied(0),
                    _ => (0..n.operands.len()).any(is_varied),
                };
        }
    }
}
