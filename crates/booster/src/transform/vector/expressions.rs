//! Derivative variables in expressions: one direction of a reference, and inquiries, which have no direction.
//!
//! Never here: statements.

use super::places::{Place, Places};
use xaif::model::{Expr, IndexOrder, NodeKind, SymbolId, Triplet, VarRef};

/// What asks about a variable and not for its value.
fn is_inquiry(name: &str) -> bool {
    matches!(name, "allocated" | "present" | "lbound" | "ubound" | "size" | "shape_arr")
}

/// Vertices that are only asked about.
fn asked(e: &Expr) -> Vec<bool> {
    let mut out = vec![false; e.nodes.len()];
    for n in &e.nodes {
        if let (NodeKind::Op(op), Some(o)) = (&n.kind, n.operands.first())
            && is_inquiry(&op.name)
        {
            out[o.index()] = true;
        }
    }
    out
}

/// Whether an expression has the value of a variable for which that holds.
pub(super) fn depends(e: &Expr, holds: &dyn Fn(SymbolId) -> bool) -> bool {
    let asked = asked(e);
    e.nodes.iter().zip(asked).any(|(n, asked)| match &n.kind {
        NodeKind::Var(r) => !asked && holds(r.symbol) || r.index_exprs().any(|e| depends(e, holds)),
        _ => false,
    })
}

/// One direction of all derivative variables whose values an expression has.
pub(super) fn at_direction(e: &mut Expr, places: &Places, order: IndexOrder, direction: &Triplet) {
    shift_inquiries(e, places, order);
    let asked = asked(e);
    for (n, asked) in e.nodes.iter_mut().zip(asked) {
        if let NodeKind::Var(r) = &mut n.kind
            && !asked
        {
            reference(r, places, order, direction);
        }
    }
}

/// One direction of a reference, or several.
pub(super) fn reference(r: &mut VarRef, places: &Places, order: IndexOrder, direction: &Triplet) {
    r.index_exprs_mut().for_each(|e| shift_inquiries(e, places, order));
    let Some(&Place { rank, before }) = places.get(&r.symbol) else { return };
    let mut all: Vec<Triplet> =
        if r.subscripts.is_empty() { vec![Triplet::default(); rank as usize] } else { r.subscripts.iter().cloned().collect() };
    all.insert(usize::from(before).min(all.len()), direction.clone());
    r.subscripts = all.into();
}

/// Bounds of a derivative variable are those behind its directions, where these come first.
pub(super) fn shift_inquiries(e: &mut Expr, places: &Places, order: IndexOrder) {
    for n in &mut e.nodes {
        if let NodeKind::Var(r) = &mut n.kind {
            r.index_exprs_mut().for_each(|e| shift_inquiries(e, places, order));
        }
    }
    let of_carrier = |e: &Expr, n: &xaif::model::Node| {
        let named = matches!(&n.kind, NodeKind::Op(op) if matches!(op.name.as_str(), "lbound" | "ubound" | "size"));
        named && n.operands.len() > 1 && matches!(&e.nodes[n.operands[0].index()].kind, NodeKind::Var(r) if places.contains_key(&r.symbol))
    };
    if order == IndexOrder::Row || !e.nodes.iter().any(|n| of_carrier(e, n)) {
        return;
    }
    let mut done: Vec<Expr> = Vec::with_capacity(e.nodes.len());
    for n in &e.nodes {
        let mut operands: Vec<Expr> = n.operands.iter().map(|o| done[o.index()].clone()).collect();
        if of_carrier(e, n)
            && let Some(k) = operands[1].as_int()
        {
            operands[1] = Expr::int(k + 1);
        }
        done.push(Expr::node(n.kind.clone(), operands));
    }
    *e = done.pop().unwrap_or_default();
}
