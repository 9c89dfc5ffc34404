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
//! An element that is the same in all iterations, and that the reverse sweep of none of them reads, is recorded once, where there is an iteration at all:
//!
//! ```text
//! do j = 1, i - 1                          if (1 <= i - 1) call push(b(i))
//!   call push(b(i))                        do j = 1, i - 1
//!   b(i) = b(i) - m(i, j)*b(j)               b(i) = b(i) - m(i, j)*b(j)
//! end do                                   end do
//!                                   ->
//! do j = i - 1, 1, -1                      do j = i - 1, 1, -1
//!   call pop(b(i))                           mb(i, j) = mb(i, j) - b(j)*bb(i)
//!   mb(i, j) = mb(i, j) - b(j)*bb(i)       end do
//! end do                                   if (1 <= i - 1) call pop(b(i))
//! ```
//!
//! Lives here: this change of finished loops. Never here: what is recorded.

use crate::analysis::arrays::counted::Range;
use crate::analysis::arrays::regions::{Around, Known, Span, spans};
use crate::linearize::fold::Fold;
use crate::linearize::places::offset;
use crate::transform::adjoint::code::expressions::same_place;
use crate::transform::adjoint::code::surroundings::Surroundings;
use crate::transform::adjoint::code::tree::{Item, ItemKind, comment, for_each_condition, for_each_stmt};
use xaif::model::{BoolOp, Expr, IndexOrder, Stmt, StmtKind, SymbolId, Triplet, VarRef};

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
    // What comes back last is recorded first. Where there is no iteration, there need not be such an element.
    let (same, sections): (Vec<&VarRef>, Vec<&VarRef>) = places.iter().partition(|p| !p.has_section());
    let of_some = |items: Vec<Item>| if items.is_empty() { items } else { vec![Item::branch(has_iterations(r), items, Vec::new())] };
    let mut pushes = of_some(same.iter().map(|s| runtime("push", s)).collect());
    pushes.extend(sections.iter().map(|s| runtime("push", s)));
    let pops = |list: &[&VarRef]| list.iter().rev().map(|s| runtime("pop", s)).collect();
    AtOnce { pushes, before: pops(&sections), after: of_some(pops(&same)) }
}

/// Whether there is an iteration of a loop with a stride of 1 or -1.
fn has_iterations(r: &Range) -> Expr {
    let op = if r.stride.as_int() == Some(-1) { BoolOp::GreaterOrEqual } else { BoolOp::LessOrEqual };
    Expr::boolean(op, [r.first.clone(), r.bound.clone()])
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
    let ends = match r.stride.as_int()? {
        1 => (&r.first, &r.bound),
        -1 => (&r.bound, &r.first),
        _ => return None,
    };
    let mut set: Vec<SymbolId> = Vec::new();
    for items in [forward, reverse] {
        for_each_stmt(items, &mut |s| {
            if let StmtKind::Assignment { lhs, .. } = &s.kind {
                set.push(lhs.symbol);
            }
        });
    }
    if set.contains(&r.index) {
        return None;
    }
    let stays = |v: &VarRef| !set.iter().any(|&s| unit.overlap(v.symbol, s));
    let at_once = |p: &VarRef| {
        let rank = unit.program().symbol(p.symbol).rank as usize;
        let element = rank > 0 && rank == p.subscripts.len() && !p.has_section();
        let steady = || p.index_exprs().all(|e| e.every_ref(&stays));
        if !element || !written_once(unit, forward, p) || !steady() {
            return None;
        }
        let around = [Around { index: r.index, span: Span { low: ends.0.clone(), high: ends.1.clone() }, dense: true, up: true }];
        let all = |v: &VarRef| spans(v, &around, &stays);
        let mine = all(p);
        let elsewhere = |v: &VarRef| v.symbol == p.symbol && Known::default().keep_apart(&mine, &all(v));
        let whole = section(unit, r.index, ends, p)?;
        read_as_restored(unit, reverse, p, whole.has_section(), &elsewhere).then_some(whole)
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

/// The reverse sweep reads and writes nothing of what all iterations record but what is `elsewhere`, and the iteration's own element once it is brought back, if that is
/// `brought_back_first`.
fn read_as_restored(
    unit: &dyn Surroundings,
    items: &[Item],
    place: &VarRef,
    brought_back_first: bool,
    elsewhere: &dyn Fn(&VarRef) -> bool,
) -> bool {
    let pop = items.iter().position(|i| matches!(stack(i), Some(("pop", p)) if p == place)).unwrap_or(items.len());
    let mut fine = true;
    let own = |k: usize, v: &VarRef| brought_back_first && k > pop && same_place(v, place);
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

/// The elements of all iterations: the index, with a constant perhaps, in the dimension that is contiguous in memory; or the one of all.
fn section(unit: &dyn Surroundings, index: SymbolId, (low, high): (&Expr, &Expr), place: &VarRef) -> Option<VarRef> {
    let program = unit.program();
    let f = Fold { program };
    let contiguous = match program.index_order {
        IndexOrder::Row => place.subscripts.len().checked_sub(1)?,
        IndexOrder::Column => 0,
    };
    let mut out = place.clone();
    for (d, t) in out.subscripts.iter_mut().enumerate() {
        let at = t.index.as_ref()?;
        if at.every_ref(&|v| v.symbol != index) {
            continue;
        }
        let (base, constant) = offset(at);
        base.filter(|b| d == contiguous && b.as_var().is_some_and(|v| v.symbol == index))?;
        let end = |e: &Expr| Some(f.add(e.clone(), Expr::int(constant)));
        *t = Triplet { index: end(low), bound: end(high), stride: None };
    }
    Some(out)
}
