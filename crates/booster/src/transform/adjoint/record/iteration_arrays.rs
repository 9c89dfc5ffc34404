//! Arrays of which each iteration of a checkpointed loop reads only what it has set itself: snapshots leave them out.
//!
//! Lives here: the iteration as [`crate::analysis::arrays::fresh`] sees it. Never here: the question itself, snapshots.

use super::reading::Read;
use crate::analysis::arrays::counted::range;
use crate::analysis::arrays::fresh::{Arm, Piece, Setting, is_fresh};
use crate::transform::adjoint::code::tree::{Item, ItemId, ItemKind, LoopKind, for_each_stmt};
use crate::transform::adjoint::code::writes::Places;
use xaif::model::{StmtKind, SymbolId};

/// These arrays of a loop with items of these numbers. `touched`: what something other than an assignment has to do with.
pub(crate) fn fresh(read: &dyn Read, touched: &Places, items: (ItemId, ItemId), body: &[Item]) -> Vec<SymbolId> {
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
    arrays.retain(|&s| is_fresh(&setting, &outline(read, body, &|id| touched.any_in(s, (id, id)).then_some(s)), s));
    arrays
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
