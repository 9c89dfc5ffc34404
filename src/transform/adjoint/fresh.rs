//! Arrays of which each round of a loop reads only what it has set itself: no snapshot of the loop needs them.
//!
//! ```text
//! do t = 1, nt
//!   do i = 2, n - 1
//!     un(i) = step(u, i)        un(2:n-1) is set,
//!   end do
//!   do i = 2, n - 1
//!     u(i) = un(i)              and only then read
//!   end do
//! end do
//! ```
//!
//! Lives here: reading that off subscripts and the bounds of loops. Never here: what follows from it.

use super::loops::range;
use super::tree::{Item, ItemKind, LoopKind, for_each_condition, for_each_stmt};
use crate::analysis::regions::{self, Around, Known, Part, Span, one_to_one, side_by_side};
use rustc_hash::FxHashSet;
use xaif::Program;
use xaif::model::{Expr, StmtKind, SymbolId, VarRef};

/// The arrays of a loop's body that a round sets before it reads them, element for element.
pub(crate) fn arrays(program: &Program, body: &[Item]) -> Vec<SymbolId> {
    let mut changed: FxHashSet<SymbolId> = FxHashSet::default();
    let mut candidates: Vec<SymbolId> = Vec::new();
    let mut elsewhere: FxHashSet<SymbolId> = FxHashSet::default();
    for_each_stmt(body, &mut |s| match &s.kind {
        StmtKind::Assignment { lhs, .. } => {
            changed.insert(lhs.symbol);
            if program.symbol(lhs.symbol).rank > 0 && !candidates.contains(&lhs.symbol) {
                candidates.push(lhs.symbol);
            }
        }
        // Whatever these do, they do it to all of a variable.
        _ => super::zeros::in_stmt(s, &mut |v| {
            changed.insert(v);
            elsewhere.insert(v);
        }),
    });
    candidates.retain(|v| !elsewhere.contains(v) && !program.symbol(*v).pointer);
    candidates
        .into_iter()
        .filter(|&v| Scan { program, changed: &changed, array: v, set: Vec::new() }.all_set(body, &mut Vec::new(), true))
        .collect()
}

struct Scan<'a> {
    program: &'a Program,
    /// What the body changes.
    changed: &'a FxHashSet<SymbolId>,
    array: SymbolId,
    /// What is set for certain so far.
    set: Vec<Part>,
}

impl Scan<'_> {
    /// Whether all that is read has been set before. `certain`: whether the code is run in any case, save for loops without rounds.
    fn all_set(&mut self, items: &[Item], around: &mut Vec<Around>, certain: bool) -> bool {
        items.iter().all(|item| match &item.kind {
            ItemKind::Stmt(s) => {
                let StmtKind::Assignment { lhs, rhs } = &s.kind else { return true };
                let read = self.reads(rhs, around) && lhs.index_exprs().all(|e| self.reads(e, around));
                if lhs.symbol == self.array
                    && certain
                    && let Some(part) = self.part(lhs, around, true)
                {
                    self.add(part);
                }
                read
            }
            ItemKind::Branch { condition, arms, .. } => {
                self.reads(condition, around)
                    && arms.iter().all(|a| {
                        let before = self.set.clone();
                        let fine = self.all_set(&a.body, around, certain);
                        self.set = before;
                        fine
                    })
            }
            ItemKind::Loop { kind: LoopKind::For(f), body, .. } => {
                let Some(r) = range(self.program, f) else { return self.free_of(item) };
                let heads = [&r.first, &r.bound, &r.stride].into_iter().all(|e| self.reads(e, around));
                let (low, high) = if r.stride.as_int().is_some_and(|c| c < 0) { (r.bound, r.first) } else { (r.first, r.bound) };
                let dense = matches!(r.stride.as_int(), Some(1 | -1));
                if r.stride.as_int().is_none() {
                    return self.free_of(item);
                }
                // Inside of the loop only what the same round has set is known to be set: sections over all rounds hold behind it.
                let before = self.set.clone();
                around.push(Around { index: r.index, span: Span { low, high }, dense });
                let fine = self.inside(body, around, certain, before);
                around.pop();
                heads && fine
            }
            ItemKind::Loop { .. } => self.free_of(item),
        })
    }

    /// The body of a counted loop. What it sets counts behind it; before, only parts that were set in front of it, and the elements of the same round.
    fn inside(&mut self, body: &[Item], around: &mut Vec<Around>, certain: bool, before: Vec<Part>) -> bool {
        let mut own: Vec<VarRef> = Vec::new();
        let mut later: Vec<Part> = Vec::new();
        let mut fine = true;
        for item in body {
            match &item.kind {
                ItemKind::Stmt(s) => {
                    let StmtKind::Assignment { lhs, rhs } = &s.kind else { continue };
                    for e in lhs.index_exprs().chain([rhs]) {
                        e.for_each_ref(&mut |r| {
                            let mine = own.iter().any(|o| super::statements::same_place(o, r));
                            fine &= r.symbol != self.array || mine || self.covered(r, around);
                        });
                    }
                    if lhs.symbol == self.array && certain {
                        later.extend(self.part(lhs, around, true));
                        let steady =
                            |e: &Expr| e.every_ref(&|v| around.iter().any(|a| a.index == v.symbol) || !self.changed.contains(&v.symbol));
                        if lhs.index_exprs().all(steady) && !lhs.has_section() {
                            own.push(lhs.clone());
                        }
                    }
                }
                _ => {
                    // What is set further inside holds for the items behind it, but with the indices of this round; it counts behind the loop only.
                    let known = self.set.clone();
                    fine &= self.all_set(std::slice::from_ref(item), around, certain);
                    let added = self.set.split_off(known.len().min(self.set.len()));
                    self.set = known;
                    later.extend(added);
                }
            }
        }
        self.set = before;
        for part in later {
            self.add(part);
        }
        fine
    }

    /// Code that does not read the array at all.
    fn free_of(&self, item: &Item) -> bool {
        let one = std::slice::from_ref(item);
        let mut fine = true;
        let mut check = |r: &VarRef| fine &= r.symbol != self.array;
        for_each_condition(one, &mut |c| c.for_each_ref(&mut check));
        for_each_stmt(one, &mut |s| {
            if let StmtKind::Assignment { lhs, rhs } = &s.kind {
                rhs.for_each_ref(&mut check);
                lhs.index_exprs().for_each(|e| e.for_each_ref(&mut check));
            }
        });
        fine
    }

    fn reads(&self, e: &Expr, around: &[Around]) -> bool {
        let mut fine = true;
        e.for_each_ref(&mut |r| fine &= r.symbol != self.array || self.covered(r, around));
        fine
    }

    fn covered(&self, r: &VarRef, around: &[Around]) -> bool {
        let Some(part) = self.part(r, around, false) else { return false };
        self.set.iter().any(|s| Known::default().within(&part, s))
    }

    /// The part of the array that a reference stands for in all rounds of the loops around; with `exact` each element of it, else perhaps less.
    fn part(&self, r: &VarRef, around: &[Around], exact: bool) -> Option<Part> {
        // Nothing that the body changes tells where the part is.
        let part = regions::part(r, around, &|v| !self.changed.contains(&v.symbol))?;
        (!exact || one_to_one(r, around)).then_some(part)
    }

    /// Adds a part; it grows those that it continues.
    fn add(&mut self, part: Part) {
        let mut part = part;
        loop {
            let next = self.set.iter().find_map(|s| joined(s, &part).filter(|j| *j != part && !self.set.contains(j)));
            self.set.push(part);
            match next {
                Some(j) => part = j,
                None => return,
            }
        }
    }
}

/// Two parts as one. A single element next to a range: the range may be empty, but then the element alone is all there is from it on.
fn joined(a: &Part, b: &Part) -> Option<Part> {
    let single = |s: &Span| s.low == s.high;
    side_by_side(a, b, |p, q| single(p) || single(q))
}
