//! Arrays of which each iteration of a loop uses one element, its own.
//!
//! ```text
//! do k = 1, n
//!   qs(k) = f(t(k))
//!   c(k) = q(k)*qs(k)          qs, t, c and q: no iteration sees what another one has written
//! end do
//! ```
//!
//! Of an array with several dimensions it may be a slice of its own instead, which the iterations of an inner loop divide up:
//!
//! ```text
//! do j = 1, m
//!   do i = 1, n
//!     w(i, j) = x(i)*y(j)      w(:, j) belongs to iteration j, w(i, j) to iterations i of it
//!   end do
//!   s = s + w(k, j)
//! end do                       all of w is overwritten, if it is declared as w(n, m)
//! ```
//!
//! Lives here: reading that off subscripts, bounds of loops and declarations. Never here: what follows from it.

use crate::analysis::arrays::counted::Range;
use crate::analysis::arrays::regions::plus;
use crate::linearize::places::offset;
use crate::transform::adjoint::code::expressions::{same_place, varying};
use crate::transform::adjoint::code::mentions;
use crate::transform::adjoint::code::tree::{Item, for_each_condition, for_each_stmt};
use crate::transform::companions::known_extent;
use indexmap::IndexMap;
use rustc_hash::FxHashSet;
use xaif::Program;
use xaif::model::{Bound, Decl, Dim, Expr, NodeKind, Stmt, StmtKind, Storage, SymbolId, VarRef};

/// The arrays that the body of a counted loop over `index` names with one and the same subscripts only, the index plus a constant among them, in the order of
/// their first use.
pub(crate) fn elements(index: SymbolId, body: &[Item]) -> Vec<SymbolId> {
    let mut found: IndexMap<SymbolId, Option<VarRef>> = IndexMap::new();
    let mut changed: FxHashSet<SymbolId> = FxHashSet::default();
    for_each_stmt(body, &mut |s| match &s.kind {
        StmtKind::Assignment { lhs, .. } => {
            changed.insert(lhs.symbol);
        }
        // Whatever these do, they do it to all of a variable.
        _ => mentions::in_stmt(s, &mut |v| {
            changed.insert(v);
            found.insert(v, None);
        }),
    });
    let add = |r: &VarRef, places: &mut IndexMap<SymbolId, Option<VarRef>>| {
        let first = places.entry(r.symbol).or_insert_with(|| varying(r, index).map(|_| r.clone()));
        if first.as_ref().is_some_and(|f| !same_place(f, r)) {
            *first = None;
        }
    };
    for_each_condition(body, &mut |c| c.for_each_ref(&mut |r| add(r, &mut found)));
    for_each_stmt(body, &mut |s| {
        in_assignment(s, &mut |r| add(r, &mut found));
    });
    let steady = |r: &VarRef| r.index_exprs().all(|e| e.every_ref(&|v| v.symbol == index || !changed.contains(&v.symbol)));
    found.into_iter().filter_map(|(s, place)| place.filter(steady).map(|_| s)).collect()
}

/// An array of which each iteration of a loop has a slice of its own.
pub(crate) struct Own {
    /// The array.
    pub array: SymbolId,
    /// The dimension in which the subscript is the index plus a constant.
    pub dim: usize,
    /// That constant.
    pub constant: i64,
}

/// The arrays that the body of a counted loop over `index` names with the index, plus always the same constant, as the subscript of one dimension, in the order of
/// their first use. Statements that are no assignments are not looked at, but for factors of sequences.
pub(crate) fn slices(index: SymbolId, body: &[Item]) -> Vec<Own> {
    // For each array the dimensions that all references so far have in common.
    let mut found: IndexMap<SymbolId, Vec<(usize, i64)>> = IndexMap::new();
    let pinned = |r: &VarRef| -> Vec<(usize, i64)> {
        let of = |(d, t): (usize, &xaif::model::Triplet)| {
            let (base, constant) = offset(t.index.as_ref().filter(|_| !t.is_section())?);
            base?.as_var().is_some_and(|v| v.symbol == index && v.subscripts.is_empty()).then_some((d, constant))
        };
        r.subscripts.iter().enumerate().filter_map(of).collect()
    };
    let mut add = |r: &VarRef| {
        let here = pinned(r);
        found.entry(r.symbol).and_modify(|all| all.retain(|p| here.contains(p))).or_insert(here);
    };
    for_each_condition(body, &mut |c| c.for_each_ref(&mut add));
    for_each_stmt(body, &mut |s| in_assignment(s, &mut add));
    found.into_iter().filter_map(|(array, dims)| dims.first().map(|&(dim, constant)| Own { array, dim, constant })).collect()
}

/// All references of an assignment, or of linear statements between derivatives to values.
fn in_assignment(s: &Stmt, visit: &mut dyn FnMut(&VarRef)) {
    match &s.kind {
        StmtKind::Assignment { lhs, rhs } => {
            rhs.for_each_ref(visit);
            lhs.index_exprs().for_each(|e| e.for_each_ref(visit));
            visit(lhs);
        }
        StmtKind::Propagator(list) => list.iter().for_each(|p| p.for_each_value(&mut |e| e.for_each_ref(visit))),
        _ => {}
    }
}

/// Whether the slices of all iterations together are all of the array: the loop goes through each subscript between the bounds of that dimension. `whole` is all of the
/// array as [`crate::transform::adjoint::code::surroundings::Surroundings::whole`] has it, `fixed` tells which variables the unit never changes.
pub(crate) fn is_all(program: &Program, r: &Range, own: &Own, whole: &VarRef, fixed: &dyn Fn(SymbolId) -> bool) -> bool {
    let (low, high) = match r.stride.as_int() {
        Some(1) => (&r.first, &r.bound),
        Some(-1) => (&r.bound, &r.first),
        _ => return false,
    };
    let symbol = program.symbol(own.array);
    let decl = symbol.decl.clone().unwrap_or_default();
    let Some((lower, upper)) = declared(program, own, whole, &decl) else { return false };
    // Of an argument declared with one element more are meant at times.
    if decl.storage == Storage::Argument && lower == upper {
        return false;
    }
    let one = |e: &Expr| simple(program, e, 0);
    let same = |a: &Expr, b: &Expr| simple(program, a, own.constant) == one(b);
    let asks = |e: &Expr| {
        matches!(&e.root().kind, NodeKind::Op(op) if matches!(op.name.as_str(), "lbound" | "ubound"))
            && e.root().operands.first().is_some_and(|&o| e.subexpr(o).as_var().is_some_and(|v| v.symbol == own.array))
    };
    // What the loop asks for itself, it has as it is.
    let stays = |e: &Expr| {
        let mut stay = true;
        e.for_each_ref(&mut |v| stay &= v.subscripts.is_empty() && (constant(program, v.symbol) || fixed(v.symbol)));
        stay || asks(e)
    };
    same(low, &lower) && same(high, &upper) && [&lower, &upper].into_iter().all(stays)
}

/// The bounds of a dimension.
fn declared(program: &Program, own: &Own, whole: &VarRef, decl: &Decl) -> Option<(Expr, Expr)> {
    if !whole.subscripts.is_empty() {
        let t = whole.subscripts.get(own.dim)?;
        return Some((t.index.clone()?, t.bound.clone()?));
    }
    if program.symbol(own.array).has_attribute("heap") {
        return None;
    }
    match known_extent(program, own.array, own.dim, decl)? {
        Dim { lower: Bound::Expr(l), upper: Bound::Expr(u) } => Some((l, u)),
        _ => None,
    }
}

fn constant(program: &Program, s: SymbolId) -> bool {
    *program.symbol(s).storage() == Storage::Constant
}

/// The sum with a constant in one form, in which named constants are numbers.
fn simple(program: &Program, e: &Expr, n: i64) -> Expr {
    let sum = plus(e, n);
    let (base, c) = offset(&sum);
    let value = base.as_ref().and_then(Expr::as_var).filter(|v| v.subscripts.is_empty() && constant(program, v.symbol));
    let value = value.and_then(|v| program.symbol(v.symbol).decl.as_ref()?.init.as_ref()?.as_int());
    match value {
        Some(v) => Expr::int(v.saturating_add(c)),
        None => sum,
    }
}
