//! Heads of DO loops with a stride that is a variable, as stock tools write them.
//!
//! ```text
//! do i = l, u, s      stock: i = l; i /= u; i = i + s       here: i = l; (s > 0 and i <= u) or (s < 0 and i >= u); i = i + s
//! ```
//!
//! The stock form does not say what is meant: taken by its word it never runs the last iteration, and may never end.
//!
//! Lives here: from one form to the other. Never here: loops whose stride is a number.

use crate::model::{BoolOp, Expr, ForLoop, NodeId, NodeKind, StmtKind, SymbolId};

fn is_index(e: &Expr, at: NodeId, index: SymbolId) -> bool {
    matches!(&e.node_at(at).kind, NodeKind::Var(r) if r.symbol == index && r.subscripts.is_empty())
}

/// The index of a loop, and its stride where that is no number.
fn variable_stride(head: &ForLoop) -> Option<(SymbolId, Expr)> {
    let (StmtKind::Assignment { lhs, .. }, StmtKind::Assignment { lhs: again, rhs: next }) = (&head.init.kind, &head.update.kind) else {
        return None;
    };
    if !lhs.subscripts.is_empty() || again != lhs {
        return None;
    }
    let root = next.nodes.last()?;
    let (NodeKind::Op(op), &[a, b]) = (&root.kind, &root.operands[..]) else { return None };
    let stride = match op.name.as_str() {
        "add_scal_scal" if is_index(next, a, lhs.symbol) => next.subexpr(b),
        "add_scal_scal" if is_index(next, b, lhs.symbol) => next.subexpr(a),
        "sub_scal_scal" if is_index(next, a, lhs.symbol) => Expr::op("minus_scal", [next.subexpr(b)]),
        _ => return None,
    };
    let known = stride.as_int().is_some() || stride.refs().next().is_none();
    (!known && stride.refs().all(|r| r.symbol != lhs.symbol)).then_some((lhs.symbol, stride))
}

/// The condition that is meant by the head of a stock loop, where it is not the one that is written.
pub(crate) fn meant(head: &ForLoop) -> Option<Expr> {
    let (index, stride) = variable_stride(head)?;
    let c = &head.condition;
    let root = c.nodes.last()?;
    let (NodeKind::Bool(BoolOp::NotEqual), &[a, b]) = (&root.kind, &root.operands[..]) else { return None };
    let (i, bound) = match (is_index(c, a, index), is_index(c, b, index)) {
        (true, false) => (a, b),
        (false, true) => (b, a),
        _ => return None,
    };
    Some(ForLoop::within(&c.subexpr(i), &c.subexpr(bound), &stride, None))
}

/// The condition with which stock tools write a loop.
pub(crate) fn written(head: &ForLoop) -> Option<Expr> {
    let (index, stride) = variable_stride(head)?;
    let c = &head.condition;
    let relation = |n: &&crate::model::Node| matches!(n.kind, NodeKind::Bool(BoolOp::LessOrEqual));
    let &[a, b] = &c.nodes.iter().find(relation)?.operands[..] else { return None };
    if !is_index(c, a, index) {
        return None;
    }
    let (i, bound) = (c.subexpr(a), c.subexpr(b));
    (*c == ForLoop::within(&i, &bound, &stride, None)).then(|| Expr::boolean(BoolOp::NotEqual, [i, bound]))
}
