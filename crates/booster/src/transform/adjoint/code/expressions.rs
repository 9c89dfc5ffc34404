//! Questions about expressions, and small changes of them: what an index adds to a subscript, a sum without one of its terms, values in the place of variables.
//!
//! Never here: why they are changed.

use super::tree::{Item, ItemKind};
use crate::analysis::program::objects::named_number;
use crate::linearize::fold::Fold;
use crate::linearize::places::offset;
use crate::linearize::work::is_product;
use rustc_hash::FxHashMap;
use xaif::Program;
use xaif::model::{Expr, NodeKind, StmtKind, Storage, SymbolId, VarRef};

/// Only sums, products, quotients and small powers.
pub(crate) fn cheap(e: &Expr) -> bool {
    e.nodes.iter().all(|n| match &n.kind {
        NodeKind::Var(r) => r.index_exprs().all(cheap),
        NodeKind::Const(_) => true,
        NodeKind::Op(op) => match op.name.as_str() {
            "add_scal_scal" | "sub_scal_scal" | "mul_scal_scal" | "div_scal_scal" | "minus_scal" | "plus_scal" | "real_scal" => true,
            "pow_scal_scal" => is_product(e, &n.operands),
            _ => false,
        },
        _ => false,
    })
}

pub(crate) fn mentions_any(e: &Expr, test: impl Fn(SymbolId) -> bool) -> bool {
    let mut found = false;
    e.for_each_ref(&mut |r| found |= test(r.symbol));
    found
}

/// The only dimension whose subscript depends on the index, as the index plus a constant, and the constant.
pub(crate) fn varying(r: &VarRef, index: SymbolId) -> Option<(usize, i64)> {
    let mut out = None;
    for (d, t) in r.subscripts.iter().enumerate() {
        let e = t.index.as_ref().filter(|_| !t.is_section())?;
        if mentions_any(e, |s| s == index) {
            let (base, constant) = offset(e);
            let alone = base.is_some_and(|b| b.as_var().is_some_and(|v| v.symbol == index));
            if out.is_some() || !alone {
                return None;
            }
            out = Some((d, constant));
        }
    }
    out
}

/// e + constant
pub(crate) fn plus(f: Fold, e: &Expr, constant: i64) -> Expr {
    let (base, c) = offset(e);
    let sum = c.saturating_add(constant);
    match base {
        None => Expr::int(sum),
        Some(b) if sum < 0 => f.sub(b, Expr::int(-sum)),
        Some(b) => f.add(b, Expr::int(sum)),
    }
}

/// The value of a bound that is a number, or a named constant plus one.
pub(crate) fn whole_number(program: &Program, e: &Expr) -> Option<i64> {
    let (base, c) = offset(e);
    match base {
        None => Some(c),
        Some(b) => named_number(program, &b)?.checked_add(c),
    }
}

/// What is added in `place + ...`, however the sum is nested.
pub(crate) fn without(f: Fold, e: &Expr, place: &VarRef) -> Option<Expr> {
    let is_place = |e: &Expr| e.as_var().is_some_and(|r| same_place(r, place));
    let NodeKind::Op(op) = &e.root().kind else { return None };
    let [a, b] = e.root().operands[..] else { return None };
    let (a, b) = (e.subexpr(a), e.subexpr(b));
    match op.name.as_str() {
        "add_scal_scal" if is_place(&a) => Some(b),
        "add_scal_scal" if is_place(&b) => Some(a),
        "sub_scal_scal" if is_place(&a) => Some(f.neg(b)),
        "add_scal_scal" => match without(f, &a, place) {
            Some(rest) => Some(f.add(rest, b)),
            None => without(f, &b, place).map(|rest| f.add(a, rest)),
        },
        "sub_scal_scal" => without(f, &a, place).map(|rest| f.sub(rest, b)),
        _ => None,
    }
}

/// The expression with values in place of scalars.
pub(crate) fn inlined(f: Fold, e: &Expr, values: &FxHashMap<SymbolId, Expr>) -> Expr {
    f.rebuilt(e, &|r| if r.subscripts.is_empty() { values.get(&r.symbol).cloned() } else { None })
}

/// The expression with base + shift in place of the index.
pub(crate) fn moved(f: Fold, e: &Expr, index: SymbolId, base: &Expr, shift: i64) -> Expr {
    f.rebuilt(e, &|r| {
        if r.symbol == index && r.subscripts.is_empty() {
            return Some(plus(f, base, shift));
        }
        if r.subscripts.is_empty() {
            return None;
        }
        let mut out = r.clone();
        for i in out.index_exprs_mut() {
            let (start, constant) = offset(i);
            let simple = start.is_some_and(|b| b.as_var().is_some_and(|v| v.symbol == index && v.subscripts.is_empty()));
            *i = if simple { plus(f, base, shift.saturating_add(constant)) } else { moved(f, i, index, base, shift) };
        }
        Some(Expr::var(out))
    })
}

/// The same variable with the same subscripts.
pub(crate) fn same_place(a: &VarRef, b: &VarRef) -> bool {
    a.symbol == b.symbol && a.subscripts == b.subscripts
}

/// Puts one expression in the place of another one throughout an item.
pub(crate) fn replace(item: &mut Item, what: &Expr, with: &Expr) {
    match &mut item.kind {
        ItemKind::Stmt(s) => {
            if let StmtKind::Assignment { rhs, .. } = &mut s.kind
                && let Some(new) = rhs.replaced(what, with)
            {
                *rhs = new;
            }
        }
        ItemKind::Branch { arms, .. } => arms.iter_mut().flat_map(|a| &mut a.body).for_each(|i| replace(i, what, with)),
        ItemKind::Loop { body, .. } => body.iter_mut().for_each(|i| replace(i, what, with)),
    }
}

/// Whether the value of a variable can change at all.
pub(crate) fn varies(program: &Program, s: SymbolId) -> bool {
    !matches!(program.symbol(s).storage(), Storage::Constant)
}
