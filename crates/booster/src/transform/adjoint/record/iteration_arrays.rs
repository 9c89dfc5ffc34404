//! Arrays of which no iteration of a loop reads what another one has set.
//!
//! ```text
//! do i = 1, n
//!   do j = 1, k;  w(j) = f(x(i), j);  end do
//!   s = s + g(w(1), w(m))                       whatever k, m are: an iteration sets all elements that any sets, and then reads
//! end do
//! ```
//!
//! Lives here: the iteration as [`crate::analysis::arrays::fresh`] sees it. Never here: the question itself, what follows from it.

use super::reading::Read;
use crate::analysis::arrays::counted::range;
use crate::analysis::arrays::fresh::{Arm, Piece, Setting, ascending, is_fresh, set_by};
use crate::analysis::arrays::regions::{Around, Known, Part, part};
use crate::transform::adjoint::code::mentions;
use crate::transform::adjoint::code::tree::{Item, ItemId, ItemKind, LoopKind, for_each_condition, for_each_stmt};
use crate::transform::adjoint::code::writes::Places;
use rustc_hash::FxHashSet;
use xaif::model::{StmtKind, SymbolId, VarRef};

/// Arrays of an iteration.
#[derive(Debug, Default)]
pub(crate) struct Arrays {
    /// It reads only what it has set itself.
    pub fresh: Vec<SymbolId>,
    /// It sets all that any iteration sets, and then reads.
    pub alike: Vec<SymbolId>,
}

/// These arrays of a loop with items of these numbers. `touched`: what something other than an assignment has to do with; `index`: that of a counted loop.
pub(crate) fn of(read: &dyn Read, touched: &Places, items: (ItemId, ItemId), index: Option<SymbolId>, body: &[Item]) -> Arrays {
    let program = read.program();
    let mut assigned: Vec<SymbolId> = Vec::new();
    let mut set_by_calls: Vec<SymbolId> = Vec::new();
    for_each_stmt(body, &mut |s| match &s.kind {
        StmtKind::Assignment { lhs, .. } => assigned.push(lhs.symbol),
        StmtKind::Call(c) => {
            let pieces = read.pieces(c).unwrap_or_default();
            set_by_calls.extend(pieces.iter().filter_map(|p| if let Piece::Sets(s, _) = p { Some(*s) } else { None }));
        }
        _ => {}
    });
    assigned.sort_unstable();
    let changes = |s: SymbolId| assigned.binary_search(&s).is_ok() || touched.any_in(s, items);
    let steady = |s: SymbolId| read.is_fixed(s) || (read.is_alone(s) && !changes(s));
    let plain = |s: SymbolId| read.is_alone(s) && !touched.any_in(s, items) && program.symbol(s).rank == 0;
    let setting = Setting { program, steady: &steady, plain: &plain, object: &|s| s };
    let mut arrays: Vec<SymbolId> = assigned.iter().copied().chain(set_by_calls).collect();
    arrays.retain(|&s| program.symbol(s).rank > 0 && !program.symbol(s).pointer);
    arrays.sort_unstable();
    arrays.dedup();
    let mut out = Arrays::default();
    for s in arrays {
        let code = outline(read, body, &|id| touched.any_in(s, (id, id)).then_some(s));
        if is_fresh(&setting, &code, s) {
            out.fresh.push(s);
        } else if let Some(index) = index.filter(|_| read.is_alone(s) && !touched.any_in(s, items)) {
            // What all iterations have in common.
            let same = |v: &VarRef| v.symbol != index && v.subscripts.is_empty() && steady(v.symbol);
            let told = |p: &Part| p.iter().flat_map(|d| [&d.low, &d.high]).all(|e| e.every_ref(&same));
            let set: Vec<Part> = set_by(&setting, &code, s).into_iter().filter(told).collect();
            let writes = Writes { read, array: s, set: &set, same: &same };
            if sets_before_it_reads(body, s) && writes.are_within(body, &mut Vec::new()) {
                out.alike.push(s);
            }
        }
    }
    out
}

/// Whether nothing that sets the array stands behind, or in, the first item that reads it.
fn sets_before_it_reads(body: &[Item], array: SymbolId) -> bool {
    let reads = |item: &Item| {
        let mut found = false;
        let mut look = |r: &VarRef| found |= r.symbol == array;
        let one = std::slice::from_ref(item);
        for_each_stmt(one, &mut |s| {
            if let StmtKind::Assignment { lhs, rhs } = &s.kind {
                lhs.index_exprs().chain([rhs]).for_each(|e| e.for_each_ref(&mut look));
            }
        });
        for_each_condition(one, &mut |c| c.for_each_ref(&mut look));
        found
    };
    let mut rest = body.iter().skip_while(|i| !reads(i));
    let sets = |item: &Item| {
        let mut named = FxHashSet::default();
        mentions::set(std::slice::from_ref(item), &mut named);
        named.contains(&array)
    };
    !rest.any(sets)
}

/// The writes of an array in an iteration.
struct Writes<'a> {
    read: &'a dyn Read,
    array: SymbolId,
    /// What an iteration sets for certain.
    set: &'a [Part],
    same: &'a dyn Fn(&VarRef) -> bool,
}

impl Writes<'_> {
    /// Whether all of them go to what is set in any case.
    fn are_within(&self, items: &[Item], around: &mut Vec<Around>) -> bool {
        items.iter().all(|item| match &item.kind {
            ItemKind::Stmt(s) => match &s.kind {
                StmtKind::Assignment { lhs, .. } if lhs.symbol == self.array => {
                    part(lhs, around, self.same).is_some_and(|p| self.set.iter().any(|q| Known::default().within(&p, q)))
                }
                _ => true,
            },
            ItemKind::Branch { arms, .. } => arms.iter().all(|a| self.are_within(&a.body, around)),
            ItemKind::Loop { kind, body, .. } => {
                let range = if let LoopKind::For(f) = kind { range(self.read.program(), f) } else { None };
                let Some(here) = range.as_ref().and_then(ascending) else {
                    let mut named = FxHashSet::default();
                    mentions::set(body, &mut named);
                    return !named.contains(&self.array);
                };
                around.push(here);
                let all = self.are_within(body, around);
                around.pop();
                all
            }
        })
    }
}

/// Some code in pieces; `touched` tells the array in question where a statement other than an assignment has to do with it.
fn outline<'a>(read: &'a dyn Read, items: &'a [Item], touched: &dyn Fn(ItemId) -> Option<SymbolId>) -> Vec<Piece<'a>> {
    let mut out = Vec::new();
    for item in items {
        match &item.kind {
            ItemKind::Stmt(s) => match (&s.kind, touched(item.id)) {
                (StmtKind::Assignment { lhs, rhs }, _) => out.push(Piece::Assign(lhs, rhs)),
                (_, None) => {}
                (StmtKind::Call(c), Some(array)) => match read.pieces(c) {
                    Some(pieces) => out.extend(pieces),
                    None => out.push(Piece::Reads(vec![array])),
                },
                (_, Some(array)) => out.push(Piece::Reads(vec![array])),
            },
            ItemKind::Branch { condition, arms, .. } => {
                out.push(Piece::Test(condition));
                let complete = arms.iter().any(|a| a.values.is_empty());
                let arms = arms.iter().map(|a| Arm { body: outline(read, &a.body, touched), leaves: false }).collect();
                out.push(Piece::Branch { arms, complete });
            }
            ItemKind::Loop { kind, body, .. } => {
                let mut body = outline(read, body, touched);
                let range = match kind {
                    LoopKind::For(f) => range(read.program(), f),
                    LoopKind::While(c) => {
                        body.insert(0, Piece::Test(c));
                        None
                    }
                    LoopKind::Until(c) => {
                        body.push(Piece::Test(c));
                        None
                    }
                };
                out.push(Piece::Loop { range, body, left: false });
            }
        }
    }
    out
}
