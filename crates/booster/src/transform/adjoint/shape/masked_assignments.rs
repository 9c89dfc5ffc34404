//! Assignments that leave their left-hand side as it is where a condition does not hold.
//!
//! ```text
//! q(i) = merge(q(i) - c(i), q(i), m(i))      ->      if (m(i)) q(i) = q(i) - c(i)
//! ```
//!
//! WHERE constructs become such assignments. As branches they need no adjoint, and no record, where nothing happens.
//!
//! Lives here: this rewriting. Never here: choices between two values.

use crate::transform::adjoint::code::expressions::same_place;
use crate::transform::adjoint::code::tree::{Arm, Head, Item, ItemKind, NEW, negated};
use arcstr::ArcStr;
use xaif::model::{BaseType, Expr, NodeKind, Stmt, StmtKind};
use xaif::{Program, types};

/// The same code with branches in place of such assignments.
pub(crate) fn branches(program: &Program, items: Vec<Item>) -> Vec<Item> {
    let change = |mut item: Item| {
        match &mut item.kind {
            ItemKind::Stmt(s) => {
                if let Some((condition, value)) = masked(program, s) {
                    let StmtKind::Assignment { lhs, .. } = &s.kind else { return item };
                    let head = Head { comment: std::mem::take(&mut s.comment), text: ArcStr::new(), span: s.span, ..Head::default() };
                    let only = Stmt { kind: StmtKind::Assignment { lhs: lhs.clone(), rhs: value }, ..(**s).clone() };
                    let arms = vec![Arm { values: vec![1], body: vec![Item::stmt(only)] }];
                    return Item {
                        id: NEW,
                        kind: ItemKind::Branch { head: Box::new(head), condition: Box::new(condition), arms: Box::new(arms) },
                    };
                }
            }
            ItemKind::Branch { arms, .. } => arms.iter_mut().for_each(|a| a.body = branches(program, std::mem::take(&mut a.body))),
            ItemKind::Loop { body, .. } => **body = branches(program, std::mem::take(&mut **body)),
        }
        item
    };
    items.into_iter().map(change).collect()
}

/// The condition on which something is assigned, and what.
fn masked(program: &Program, s: &Stmt) -> Option<(Expr, Expr)> {
    let StmtKind::Assignment { lhs, rhs } = &s.kind else { return None };
    let (NodeKind::Op(op), [c, a, b]) = (&rhs.root().kind, &rhs.root().operands[..]) else { return None };
    if op.name != "select" || types::of_ref(program, lhs).rank > 0 {
        return None;
    }
    let (c, a, b) = (rhs.subexpr(*c), rhs.subexpr(*a), rhs.subexpr(*b));
    let truth = types::of(program, &c);
    if truth.rank > 0 || truth.elem.base != BaseType::Bool {
        return None;
    }
    let stays = |e: &Expr| e.as_var().is_some_and(|r| same_place(r, lhs));
    match (stays(&a), stays(&b)) {
        (_, true) => Some((c, a)),
        (true, false) => Some((negated(c), b)),
        _ => None,
    }
}
