//! Terms of the model: operations, sums that fold constants, conversions, literals.
//!
//! Lives here: functions from terms to terms. Never here: syntax.

use crate::parse::language::types::CType;
use smol_str::{SmolStr, format_smolstr};
use xaif::model::{BoolOp, Constant, Expr, Node, NodeKind, Operation};

/// A term of operands without copying the first one's nodes.
pub(crate) fn term(kind: NodeKind, operands: impl IntoIterator<Item = Expr>) -> Expr {
    let mut operands = operands.into_iter();
    let mut e = operands.next().unwrap_or_default();
    let mut roots = if e.nodes.is_empty() { Vec::new() } else { vec![e.root_id()] };
    for o in operands {
        let root = e.append(o);
        roots.push(root);
    }
    e.nodes.push(Node { kind, operands: roots.into_iter().collect(), origin: None });
    e
}

/// An intrinsic.
pub(crate) fn op(name: &'static str, spelling: &str, operands: impl IntoIterator<Item = Expr>) -> Expr {
    term(NodeKind::Op(Operation { name: SmolStr::new_static(name), ty: None, spelling: spelling.into() }.into()), operands)
}

/// A relation or connective.
pub(crate) fn relation(op: BoolOp, operands: impl IntoIterator<Item = Expr>) -> Expr {
    term(NodeKind::Bool(op), operands)
}

/// A sum, where an operand that is zero is left out.
pub(crate) fn sum(a: Expr, b: Expr) -> Expr {
    match (a.as_int(), b.as_int()) {
        (Some(0), _) => b,
        (_, Some(0)) => a,
        (Some(x), Some(y)) if x.checked_add(y).is_some() => Expr::int(x + y),
        (_, Some(y)) if y < 0 && y > i64::MIN => op("sub_scal_scal", "", [a, Expr::int(-y)]),
        _ => op("add_scal_scal", "", [a, b]),
    }
}

/// A difference, where a zero is left out.
pub(crate) fn difference(a: Expr, b: Expr) -> Expr {
    match (a.as_int(), b.as_int()) {
        (_, Some(0)) => a,
        (Some(x), Some(y)) if x.checked_sub(y).is_some() => Expr::int(x - y),
        _ => op("sub_scal_scal", "", [a, b]),
    }
}

/// An integer term as the rest and a constant that is added to it.
pub(crate) fn split(e: Expr) -> (Expr, i64) {
    let root = e.root();
    if let (NodeKind::Op(o), [a, b]) = (&root.kind, &root.operands[..]) {
        let constant = |id: &xaif::model::NodeId| e.subexpr(*id).as_int();
        match (o.name.as_str(), constant(a), constant(b)) {
            ("add_scal_scal", _, Some(n)) => return (e.subexpr(*a), n),
            ("add_scal_scal", Some(n), _) => return (e.subexpr(*b), n),
            ("sub_scal_scal", _, Some(n)) if n > i64::MIN => return (e.subexpr(*a), -n),
            _ => {}
        }
    }
    (e, 0)
}

/// A subscript moved by another: constants are added up, so that `(i + 1) - 1` is `i`.
pub(crate) fn moved(a: Expr, b: Expr) -> Expr {
    let ((x, m), (y, n)) = (split(a), split(b));
    match m.checked_add(n) {
        Some(c) => sum(sum(x, y), Expr::int(c)),
        None => sum(sum(x, Expr::int(m)), sum(y, Expr::int(n))),
    }
}

/// The same backwards.
pub(crate) fn moved_back(a: Expr, b: Expr) -> Expr {
    let ((x, m), (y, n)) = (split(a), split(b));
    match m.checked_sub(n) {
        Some(c) => sum(difference(x, y), Expr::int(c)),
        None => difference(sum(x, Expr::int(m)), sum(y, Expr::int(n))),
    }
}

/// A number moved by a constant.
pub(crate) fn plus(e: Expr, by: i64) -> Expr {
    let (rest, own) = if let Some(n) = e.as_int() { (Expr::int(0), n) } else { split(e.clone()) };
    match own.checked_add(by) {
        Some(all) => sum(rest, Expr::int(all)),
        None => sum(e, Expr::int(by)),
    }
}

/// A conversion to a type.
pub(crate) fn conversion(e: Expr, ty: &CType, spelling: &str) -> Expr {
    let name = if ty.is_real() { "real_scal" } else { "int_scal" };
    term(NodeKind::Op(Operation { name: SmolStr::new_static(name), ty: Some(ty.elem()), spelling: spelling.into() }.into()), [e])
}

/// A constant of the model.
pub(crate) fn constant(ty: &CType, value: impl Into<SmolStr>, spelling: impl Into<SmolStr>) -> Expr {
    Expr::constant(Constant { ty: ty.elem(), fe_type: SmolStr::default(), value: value.into(), spelling: spelling.into() })
}

/// An integer constant without a spelling of its own.
pub(crate) fn integer(value: i128, ty: &CType) -> Expr {
    constant(ty, format_smolstr!("{value}"), "")
}

/// The number 0 of a type.
pub(crate) fn zero_of(ty: &CType) -> Expr {
    if ty.is_real() { constant(ty, "0.0", "") } else { Expr::int(0) }
}
