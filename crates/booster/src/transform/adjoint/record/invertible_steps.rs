//! Steps of integers that are undone instead of recorded.
//!
//! `k = k + 3` has the reverse `k = k - 3`: integers lose nothing, and where they wrap around, they wrap back. The reverse sweep then needs the value from
//! behind the step, so whatever overwrites that later is recorded in its place (see [`crate::analysis::reversal::recorded`]), most often once for a whole loop.
//!
//! Never here: which steps are undone.

use super::reading::Read;
use crate::transform::adjoint::code::tree::{Item, ItemId, ItemKind};
use rustc_hash::FxHashMap;
use xaif::Program;
use xaif::model::{BaseType, Expr, NodeKind, Stmt, StmtKind, SymbolId};

/// The statement that takes this one back, if it adds something to an integer that stays what it is, or subtracts it. `fixed` tells which variables the
/// unit never changes, `alone` which share no memory with others.
pub(crate) fn inverse(program: &Program, s: &Stmt, alone: &dyn Fn(SymbolId) -> bool, fixed: &dyn Fn(SymbolId) -> bool) -> Option<Stmt> {
    let StmtKind::Assignment { lhs, rhs } = &s.kind else { return None };
    let integer = |s: SymbolId| program.symbol(s).ty.base == BaseType::Integer && program.symbol(s).rank == 0;
    if !integer(lhs.symbol) || !alone(lhs.symbol) {
        return None;
    }
    let root = rhs.root();
    let NodeKind::Op(op) = &root.kind else { return None };
    let other = match op.name.as_str() {
        "add_scal_scal" => "sub_scal_scal",
        "sub_scal_scal" => "add_scal_scal",
        _ => return None,
    };
    let &[left, right] = &root.operands[..] else { return None };
    let (left, right) = (rhs.subexpr(left), rhs.subexpr(right));
    let own = |e: &Expr| e.as_var().is_some_and(|r| r == lhs);
    let amount = match (own(&left), own(&right)) {
        (true, false) => right,
        (false, true) if op.name == "add_scal_scal" => left,
        _ => return None,
    };
    let stays = amount.as_int().is_some() || amount.as_var().is_some_and(|r| integer(r.symbol) && fixed(r.symbol));
    stays.then(|| Stmt { line: s.line, span: s.span, ..Stmt::assign(lhs.clone(), Expr::op(other, [Expr::var(lhs.clone()), amount])) })
}

/// What takes back the assignments that are undone instead of recorded.
pub(crate) fn inverses(read: &dyn Read, items: &[Item], out: &mut FxHashMap<ItemId, Stmt>) {
    for item in items {
        match &item.kind {
            ItemKind::Stmt(s) => {
                let inverse = inverse(read.program(), s, &|v| read.is_alone(v), &|v| read.is_fixed(v));
                out.extend(inverse.map(|i| (item.id, i)));
            }
            ItemKind::Branch { arms, .. } => arms.iter().for_each(|a| inverses(read, &a.body, out)),
            ItemKind::Loop { body, .. } => inverses(read, body, out),
        }
    }
}
