//! Elements that are the same through all of a loop are kept in scalars meanwhile.
//!
//! ```text
//! do j = i + 1, n                          bb0 = bb(i)
//!   mb(i, j) = mb(i, j) - b(j)*bb(i)       do j = i + 1, n
//!   bb(j) = bb(j) - m(i, j)*bb(i)     ->     mb(i, j) = mb(i, j) - b(j)*bb0
//! end do                                     bb(j) = bb(j) - m(i, j)*bb0
//!                                          end do
//! ```
//!
//! A compiler that does not see that `bb(j)` is never `bb(i)` loads and stores one of them in each iteration, and vectorizes nothing. So it is with what a pointer
//! without a promise points to. Only adjoints are kept so that the loop sets, where compilers do not see it by themselves: of which the loop names another
//! element, or which may be what another pointer points to.
//!
//! The element must be there also where the loop has no iteration: the heads of the loops around say that it has one, or what stands beside the loop names
//! the same element.
//!
//! Source: scalar replacement, as in Callahan, Carr and Kennedy, "Improving register allocation for subscripted variables" (1990), without reuse across iterations.
//!
//! Lives here: this change of finished loops. Never here: which elements are never the same ([`iterations`](crate::transform::adjoint::code::iterations)).

use super::ascending_loops::{Variables, is_steady};
use super::merge::is_lazy;
use crate::transform::adjoint::code::expressions::same_place;
use crate::transform::adjoint::code::iterations::{Iterations, Number};
use crate::transform::adjoint::code::mentions::for_each_mention;
use crate::transform::adjoint::code::tree::{Item, ItemKind, LoopKind, has_loop};
use rustc_hash::FxHashSet;
use xaif::model::{Expr, IndexOrder, Passing, Span, Stmt, StmtKind, Storage, SymbolId, VarRef};

/// In a longer loop no register would be left.
const MOST_STATEMENTS: usize = 100;

/// Keeps elements in scalars. Gives these, as symbols that the program does not have yet, each with the variable whose element it keeps.
pub(crate) fn loops(v: &Variables, items: &mut Vec<Item>) -> Vec<(SymbolId, SymbolId)> {
    let mut made = Vec::new();
    within(v, items, &[], &mut made);
    made
}

fn within(v: &Variables, items: &mut Vec<Item>, known: &[Number], made: &mut Vec<(SymbolId, SymbolId)>) {
    let mut k = 0;
    while k < items.len() {
        let mut kept = Vec::new();
        let mut said = known.to_vec();
        if let ItemKind::Loop { kind: LoopKind::For(head), body, .. } = &items[k].kind
            && (body.len() <= MOST_STATEMENTS || body.iter().any(has_loop))
            && let Some(found) = Iterations::of(v.program, head, body, v.overlap).map(|l| l.within(known))
        {
            let steady = |s: SymbolId| is_steady(v, &found, s);
            said = found.said(v.program, &steady);
            let sure = found.has_one(v.program, &steady);
            kept = places(v, &found, body);
            kept.retain(|Kept { place: p, .. }| p.subscripts.is_empty() || sure || is_named_beside(items, k, p));
        }
        let (mut before, mut behind) = (Vec::new(), Vec::new());
        for Kept { place, set, span, line } in kept {
            let at = |s: Stmt| Item::stmt(Stmt { span, line, ..s });
            let scalar = SymbolId((v.program.symbols.len() + made.len()) as u32);
            made.push((scalar, place.symbol));
            replace(std::slice::from_mut(&mut items[k]), &place, scalar);
            before.push(at(Stmt::assign(VarRef::whole(scalar), Expr::var(place.clone()))));
            behind.extend(set.then(|| at(Stmt::assign(place, Expr::sym(scalar)))));
        }
        match &mut items[k].kind {
            ItemKind::Stmt(_) => {}
            ItemKind::Branch { arms, .. } => arms.iter_mut().for_each(|a| within(v, &mut a.body, known, made)),
            ItemKind::Loop { body, .. } => within(v, body, &said, made),
        }
        let next = k + 1 + before.len() + behind.len();
        items.splice(k + 1..k + 1, behind);
        items.splice(k..k, before);
        k = next;
    }
}

/// An element that is kept in a scalar.
struct Kept {
    place: VarRef,
    /// Whether the loop sets it.
    set: bool,
    /// The first statement that names it.
    span: Span,
    line: u32,
}

/// The elements that are worth it.
fn places(v: &Variables, found: &Iterations, body: &[Item]) -> Vec<Kept> {
    let mut symbols: Vec<SymbolId> = found.set().filter(|s| v.adjoint.contains(s) && (!found.reaches_out || (v.own)(*s))).collect();
    symbols.sort_unstable();
    let steady = |s: SymbolId| is_steady(v, found, s);
    let overlap = |a: SymbolId, b: SymbolId| (v.overlap)(a, b);
    let mut out = Vec::new();
    for s in symbols {
        let symbol = v.program.symbol(s);
        let pointed =
            v.program.index_order == IndexOrder::Row && *symbol.storage() == Storage::Argument && symbol.passing() != Passing::Value;
        if symbol.rank == 0 && !pointed || symbol.pointer {
            continue;
        }
        let seen = pointed && !symbol.has_attribute("restrict");
        let all = found.settled(v.program, s, &steady, &overlap);
        out.extend(all.into_iter().filter(|p| seen || p.others).filter_map(|p| {
            let ItemKind::Stmt(first) = &body.iter().find(|i| names(i, &p.place))?.kind else { return None };
            Some(Kept { place: p.place, set: p.set, span: first.span, line: first.line })
        }));
    }
    out
}

/// Whether a statement reads or sets a place in any case.
fn names(item: &Item, place: &VarRef) -> bool {
    let Some((lhs, rhs)) = item.assignment() else { return false };
    same_place(lhs, place) || !is_lazy(rhs) && rhs.refs().any(|r| same_place(r, place))
}

/// Whether a statement before or behind an item of a list names a place by the subscripts that it has there.
fn is_named_beside(items: &[Item], at: usize, place: &VarRef) -> bool {
    let mut inputs = FxHashSet::default();
    place.index_exprs().for_each(|e| e.for_each_ref(&mut |r| _ = inputs.insert(r.symbol)));
    // Nothing in between may set what the subscripts read.
    let changes = |item: &Item| {
        let mut found = false;
        match item.assignment() {
            Some((lhs, _)) => found = inputs.contains(&lhs.symbol),
            None => for_each_mention(std::slice::from_ref(item), &mut |s| found |= inputs.contains(&s)),
        }
        found
    };
    let reaches = |list: &mut dyn Iterator<Item = &Item>| {
        for item in list {
            if names(item, place) {
                return true;
            }
            if changes(item) {
                return false;
            }
        }
        false
    };
    reaches(&mut items[..at].iter().rev()) || reaches(&mut items[at + 1..].iter())
}

/// Puts a scalar in the place of an element.
fn replace(items: &mut [Item], place: &VarRef, scalar: SymbolId) {
    let mut change = |r: &mut VarRef| {
        if same_place(r, place) {
            *r = VarRef { active: r.active, ..VarRef::whole(scalar) };
        }
    };
    for item in items {
        match &mut item.kind {
            ItemKind::Stmt(s) => {
                if let StmtKind::Assignment { lhs, rhs } = &mut s.kind {
                    rhs.for_each_ref_mut(&mut change);
                    change(lhs);
                }
            }
            ItemKind::Branch { condition, arms, .. } => {
                condition.for_each_ref_mut(&mut change);
                arms.iter_mut().for_each(|a| replace(&mut a.body, place, scalar));
            }
            ItemKind::Loop { body, .. } => replace(body, place, scalar),
        }
    }
}
