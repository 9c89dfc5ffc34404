//! Elements that a counted loop records one by one, recorded at once.
//!
//! ```text
//! do i = 2, n - 1                          call push(u(2:n - 1))
//!   call push(u(i))                        do i = 2, n - 1
//!   u(i) = v(i)                              u(i) = v(i)
//! end do                                   end do
//!                                   ->
//! do i = n - 1, 2, -1                      call pop(u(2:n - 1))
//!   call pop(u(i))                         do i = n - 1, 2, -1
//!   vb(i) = vb(i) + ub(i)                    vb(i) = vb(i) + ub(i)
//! end do                                   end do
//! ```
//!
//! That copies memory instead of asking for room for every value, and leaves loops that compilers can vectorize. It is right where each iteration overwrites
//! its own element only, where the reverse sweep reads no other element of those, and where nothing else is on the stack of the same iterations.
//!
//! An element that is the same in all iterations, and that the reverse sweep of none of them reads, is recorded once:
//!
//! ```text
//! do j = 1, i - 1                          call push(b(i))
//!   call push(b(i))                        do j = 1, i - 1
//!   b(i) = b(i) - m(i, j)*b(j)               b(i) = b(i) - m(i, j)*b(j)
//! end do                                   end do
//!                                   ->
//! do j = i - 1, 1, -1                      do j = i - 1, 1, -1
//!   call pop(b(i))                           mb(i, j) = mb(i, j) - b(j)*bb(i)
//!   mb(i, j) = mb(i, j) - b(j)*bb(i)       end do
//! end do                                   call pop(b(i))
//! ```
//!
//! Lives here: this change of finished loops. Never here: what is recorded.

use crate::analysis::arrays::counted::Range;
use crate::linearize::fold::Fold;
use crate::linearize::places::offset;
use crate::transform::adjoint::code::expressions::same_place;
use crate::transform::adjoint::code::surroundings::Surroundings;
use crate::transform::adjoint::code::tree::{Item, ItemKind, comment, for_each_condition, for_each_stmt};
use crate::transform::scalarize::hazard::have_nothing_in_common;
use xaif::model::{Expr, IndexOrder, Stmt, StmtKind, SymbolId, Triplet, VarRef};

/// What stands around a loop in place of records in it.
#[derive(Debug, Default)]
pub(crate) struct AtOnce {
    /// In front of it, in the forward sweep.
    pub pushes: Vec<Item>,
    /// In front of it, in the reverse sweep.
    pub before: Vec<Item>,
    /// Behind it, in the reverse sweep.
    pub after: Vec<Item>,
}

/// Takes the records out of both bodies of a loop.
pub(crate) fn at_once(unit: &dyn Surroundings, r: &Range, forward: &mut Vec<Item>, reverse: &mut Vec<Item>) -> AtOnce {
    let Some(places) = places(unit, r, forward, reverse) else { return AtOnce::default() };
    without_records(forward);
    without_records(reverse);
    let runtime = |name: &str, s: &VarRef| Item::stmt(Stmt::runtime(name, Expr::var(s.clone())));
    // What comes back last is recorded first.
    let (same, sections): (Vec<&VarRef>, Vec<&VarRef>) = places.iter().partition(|p| !p.has_section());
    let pops = |list: &[&VarRef]| list.iter().rev().map(|s| runtime("pop", s)).collect();
    AtOnce { pushes: same.iter().chain(&sections).map(|s| runtime("push", s)).collect(), before: pops(&sections), after: pops(&same) }
}

/// Takes records out; their comments go to what follows.
fn without_records(items: &mut Vec<Item>) {
    let mut text = String::new();
    for mut item in std::mem::take(items) {
        if stack(&item).is_some() {
            if let ItemKind::Stmt(s) = &mut item.kind {
                text.push_str(&s.comment);
            }
            continue;
        }
        comment(std::slice::from_mut(&mut item), std::mem::take(&mut text));
        items.push(item);
    }
}

/// `push` or `pop` with its place.
fn stack(item: &Item) -> Option<(&str, &VarRef)> {
    let ItemKind::Stmt(s) = &item.kind else { return None };
    let StmtKind::Runtime { name, arguments } = &s.kind else { return None };
    Some((name, arguments.first()?.value.as_var()?))
}

/// What is recorded in place of what the loop records, in the order of the forward sweep, if it can be recorded at once.
fn places(unit: &dyn Surroundings, r: &Range, forward: &[Item], reverse: &[Item]) -> Option<Vec<VarRef>> {
    let pushed: Vec<VarRef> = forward.iter().filter_map(stack).map(|(_, p)| p.clone()).collect();
    let popped: Vec<&VarRef> = reverse.iter().filter_map(stack).map(|(_, p)| p).collect();
    let mirrored = pushed.len() == popped.len() && pushed.iter().zip(popped.iter().rev()).all(|(a, b)| a == *b);
    if pushed.is_empty() || !mirrored || others(forward) != pushed.len() || others(reverse) != popped.len() {
        return None;
    }
    let at_once = |p: &VarRef| {
        let rank = unit.program().symbol(p.symbol).rank as usize;
        let element = rank > 0 && rank == p.subscripts.len() && !p.has_section();
        if !element || !written_once(unit, forward, p) || !steady(unit, r, forward, reverse, p) {
            return None;
        }
        let whole = section(unit, r, p)?;
        read_as_restored(unit, r, reverse, p, &whole).then_some(whole)
    };
    let apart = |a: &VarRef, b: &VarRef| !unit.overlap(a.symbol, b.symbol);
    let fits = pushed.iter().enumerate().all(|(k, p)| pushed[..k].iter().all(|q| apart(p, q)));
    fits.then(|| pushed.iter().map(at_once).collect()).flatten()
}

/// Calls, records and whatever else may touch the stack or memory that is not named; `usize::MAX` if there are any but records.
fn others(items: &[Item]) -> usize {
    let mut count = 0usize;
    for_each_stmt(items, &mut |s| {
        count = count.saturating_add(match &s.kind {
            StmtKind::Assignment { .. } => 0,
            StmtKind::Runtime { name, .. } if name == "push" || name == "pop" => 1,
            StmtKind::Runtime { .. } | StmtKind::Call(_) | StmtKind::Marker(_) | StmtKind::Propagator(_) => usize::MAX,
        });
    });
    count
}

/// One statement writes the variable, and it writes this element.
fn written_once(unit: &dyn Surroundings, items: &[Item], place: &VarRef) -> bool {
    let mut writes = 0;
    let mut elsewhere = false;
    for_each_stmt(items, &mut |s| {
        if let StmtKind::Assignment { lhs, .. } = &s.kind
            && unit.overlap(lhs.symbol, place.symbol)
        {
            writes += 1;
            elsewhere |= !same_place(lhs, place);
        }
    });
    writes == 1 && !elsewhere
}

/// The reverse sweep reads and writes no other element of `whole`, which all iterations record together, and the iteration's own only once it is brought back: one that
/// comes back behind the loop not at all.
fn read_as_restored(unit: &dyn Surroundings, r: &Range, items: &[Item], place: &VarRef, whole: &VarRef) -> bool {
    let pop = items.iter().position(|i| matches!(stack(i), Some(("pop", p)) if p == place)).unwrap_or(items.len());
    let mut fine = true;
    let elsewhere = |v: &VarRef| v.symbol == whole.symbol && over(unit, r, v).is_some_and(|v| have_nothing_in_common(whole, &v));
    let own = |k: usize, v: &VarRef| whole.has_section() && k > pop && same_place(v, place);
    for (k, item) in items.iter().enumerate().filter(|(k, _)| *k != pop) {
        let mut check = |v: &VarRef| fine &= !unit.overlap(v.symbol, place.symbol) || own(k, v) || elsewhere(v);
        let one = std::slice::from_ref(item);
        for_each_condition(one, &mut |c| c.for_each_ref(&mut check));
        for_each_stmt(one, &mut |s| match &s.kind {
            StmtKind::Assignment { lhs, rhs } => {
                rhs.for_each_ref(&mut check);
                lhs.index_exprs().for_each(|e| e.for_each_ref(&mut check));
                // A write would have to be ordered with the bringing back.
                if unit.overlap(lhs.symbol, place.symbol) {
                    check(&VarRef::whole(lhs.symbol));
                }
            }
            StmtKind::Runtime { arguments, .. } => arguments.iter().for_each(|a| a.value.for_each_ref(&mut check)),
            _ => {}
        });
    }
    fine
}

/// What the subscripts read besides the index is not changed in the loop.
fn steady(unit: &dyn Surroundings, r: &Range, forward: &[Item], reverse: &[Item], place: &VarRef) -> bool {
    let mut read: Vec<SymbolId> = Vec::new();
    place.index_exprs().for_each(|e| e.for_each_ref(&mut |v| read.push(v.symbol)));
    read.retain(|&s| s != r.index);
    let mut fixed = true;
    let mut write = |s: SymbolId| fixed &= s != r.index && !read.iter().any(|&v| unit.overlap(v, s));
    for items in [forward, reverse] {
        for_each_stmt(items, &mut |s| {
            if let StmtKind::Assignment { lhs, .. } = &s.kind {
                write(lhs.symbol);
            }
        });
    }
    fixed
}

/// The elements of all iterations: the index, with a constant perhaps, in the dimension that is contiguous in memory; or the one of all.
fn section(unit: &dyn Surroundings, r: &Range, place: &VarRef) -> Option<VarRef> {
    let contiguous = match unit.program().index_order {
        IndexOrder::Row => place.subscripts.len().checked_sub(1)?,
        IndexOrder::Column => 0,
    };
    let out = over(unit, r, place)?;
    let others = |(d, t): (usize, &Triplet)| d == contiguous || !t.is_section();
    out.subscripts.iter().enumerate().all(others).then_some(out)
}

/// All elements that a reference to an element means in the iterations of a loop.
fn over(unit: &dyn Surroundings, r: &Range, place: &VarRef) -> Option<VarRef> {
    let f = Fold { program: unit.program() };
    let mut out = place.clone();
    for t in &mut out.subscripts {
        let index = t.index.as_ref().filter(|_| !t.is_section())?;
        let mut varies = false;
        index.for_each_ref(&mut |v| varies |= v.symbol == r.index);
        if !varies {
            continue;
        }
        let (base, constant) = offset(index);
        base.filter(|b| b.as_var().is_some_and(|v| v.symbol == r.index))?;
        let at = |e: &Expr| f.add(e.clone(), Expr::int(constant));
        let (low, high) = match r.stride.as_int()? {
            1 => (at(&r.first), at(&r.bound)),
            -1 => (at(&r.bound), at(&r.first)),
            _ => return None,
        };
        *t = Triplet { index: Some(low), bound: Some(high), stride: None };
    }
    Some(out)
}
