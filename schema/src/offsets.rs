//! Sums and differences of index expressions, with constants folded.
//!
//! Lives here: `i - 1 + 1` is `i`. Never here: general algebra.

use crate::model::{Expr, NodeKind, Triplet, VarRef};

/// `e + k`, folded into a constant that `e` adds or subtracts already.
pub fn plus(e: Expr, k: i64) -> Expr {
    let (base, own) = split(&e);
    let total = own.checked_add(k);
    match (base, total) {
        (None, Some(t)) => Expr::int(t),
        (Some(b), Some(0)) => b,
        (Some(b), Some(t)) if t > 0 => Expr::op("add_scal_scal", [b, Expr::int(t)]),
        (Some(b), Some(t)) if t > i64::MIN => Expr::op("sub_scal_scal", [b, Expr::int(-t)]),
        _ => Expr::op("add_scal_scal", [e, Expr::int(k)]),
    }
}

/// `a - b`
pub fn minus(a: Expr, b: &Expr) -> Expr {
    let (base_b, own_b) = split(b);
    match base_b {
        None => match own_b.checked_neg() {
            Some(k) => plus(a, k),
            None => Expr::op("sub_scal_scal", [a, b.clone()]),
        },
        Some(base_b) => {
            let (base_a, own_a) = split(&a);
            match (base_a, own_a.checked_sub(own_b)) {
                (Some(base_a), Some(k)) if same(&base_a, &base_b) => Expr::int(k),
                (Some(base_a), Some(k)) => match first_term(&base_a).filter(|(first, _)| same(first, &base_b)) {
                    // a + c - a
                    Some((_, rest)) => plus(rest, k),
                    None => plus(Expr::op("sub_scal_scal", [base_a, base_b]), k),
                },
                (None, Some(k)) => Expr::op("sub_scal_scal", [Expr::int(k), base_b]),
                (_, None) => Expr::op("sub_scal_scal", [a, b.clone()]),
            }
        }
    }
}

/// A sum as its first term and the other one.
fn first_term(e: &Expr) -> Option<(Expr, Expr)> {
    match (&e.root().kind, &e.root().operands[..]) {
        (NodeKind::Op(op), [a, b]) if op.name == "add_scal_scal" => Some((e.subexpr(*a), e.subexpr(*b))),
        _ => None,
    }
}

/// `a * b`
pub fn times(a: Expr, b: Expr) -> Expr {
    match (a.as_int(), b.as_int()) {
        (Some(1), _) => b,
        (_, Some(1)) => a,
        (Some(x), Some(y)) if x.checked_mul(y).is_some() => Expr::int(x * y),
        _ => Expr::op("mul_scal_scal", [a, b]),
    }
}

/// An expression as base and constant.
pub fn split(e: &Expr) -> (Option<Expr>, i64) {
    if let Some(k) = e.as_int() {
        return (None, k);
    }
    if e.nodes.is_empty() {
        return (None, 0);
    }
    let root = e.root();
    if let (NodeKind::Op(op), [a, b]) = (&root.kind, &root.operands[..]) {
        let (left, right) = (e.subexpr(*a), e.subexpr(*b));
        let found = match (op.name.as_str(), left.as_int(), right.as_int()) {
            ("add_scal_scal", _, Some(k)) => Some((left, k)),
            ("add_scal_scal", Some(k), _) => Some((right, k)),
            ("sub_scal_scal", _, Some(k)) if k != i64::MIN => Some((left, -k)),
            _ => None,
        };
        if let Some((rest, k)) = found {
            let (base, own) = split(&rest);
            return match own.checked_add(k) {
                Some(k) => (base, k),
                None => (Some(rest), k),
            };
        }
    }
    (Some(e.clone()), 0)
}

/// The same expression, whatever ids it had in a file.
pub fn same(a: &Expr, b: &Expr) -> bool {
    a.nodes.len() == b.nodes.len()
        && a.nodes.iter().zip(&b.nodes).all(|(x, y)| {
            x.operands == y.operands
                && match (&x.kind, &y.kind) {
                    (NodeKind::Var(r), NodeKind::Var(s)) => same_place(r, s),
                    (NodeKind::Const(c), NodeKind::Const(d)) => c.ty == d.ty && c.value == d.value,
                    (p, q) => p == q,
                }
        })
}

/// The same variable with the same subscripts.
pub fn same_place(a: &VarRef, b: &VarRef) -> bool {
    let part = |x: &Option<Expr>, y: &Option<Expr>| match (x, y) {
        (None, None) => true,
        (Some(x), Some(y)) => same(x, y),
        _ => false,
    };
    let triplet = |(x, y): (&Triplet, &Triplet)| part(&x.index, &y.index) && part(&x.bound, &y.bound) && part(&x.stride, &y.stride);
    a.symbol == b.symbol && a.subscripts.len() == b.subscripts.len() && a.subscripts.iter().zip(&b.subscripts).all(triplet)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::SymbolId;

    #[test]
    fn constants_fold() {
        let i = || Expr::sym(SymbolId(0));
        assert_eq!(plus(plus(i(), -1), 1), i());
        assert_eq!(plus(Expr::int(3), -1), Expr::int(2));
        assert_eq!(plus(plus(i(), 2), -5), Expr::op("sub_scal_scal", [i(), Expr::int(3)]));
        assert_eq!(minus(plus(i(), 4), &plus(i(), 1)), Expr::int(3));
        assert_eq!(times(Expr::int(1), i()), i());
    }
}
