//! Counted loops whose bounds or index the body changes: they become loops with a condition.
//!
//! Never here: how loops are reversed.

use crate::analysis::arrays::counted::range;
use crate::transform::adjoint::code::tree;
use crate::transform::adjoint::code::tree::{Item, ItemKind, LoopKind, last_id};
use crate::transform::adjoint::code::writes::{Overlap, Places};
use crate::transform::adjoint::variables::resized::Resized;
use arcstr::ArcStr;
use xaif::Program;
use xaif::model::SymbolId;

/// Turns counted loops whose bounds or index the body changes into loops with a condition.
pub(crate) fn uncount(program: &Program, items: Vec<Item>, places: &Places, overlap: &dyn Overlap, resized: &Resized) -> Vec<Item> {
    let mut out = Vec::with_capacity(items.len());
    for item in items {
        let upto = last_id(&item);
        let Item { id, kind } = item;
        match kind {
            ItemKind::Stmt(s) => out.push(Item { id, kind: ItemKind::Stmt(s) }),
            ItemKind::Branch { head, condition, mut arms } => {
                for arm in arms.iter_mut() {
                    arm.body = uncount(program, std::mem::take(&mut arm.body), places, overlap, resized);
                }
                out.push(Item { id, kind: ItemKind::Branch { head, condition, arms } });
            }
            ItemKind::Loop { head, kind: LoopKind::For(f), body } => {
                let mut body = uncount(program, *body, places, overlap, resized);
                let counted = range(program, &f).is_some_and(|r| {
                    let mut fixed = vec![r.index];
                    for e in [&r.first, &r.bound, &r.stride] {
                        resized.operands(program, e, &mut fixed);
                    }
                    let changed = |s: SymbolId| overlap.sharing(s).into_iter().any(|o| places.any(o, id, upto));
                    !fixed.into_iter().any(changed)
                });
                if counted {
                    out.push(Item { id, kind: ItemKind::Loop { head, kind: LoopKind::For(f), body: Box::new(body) } });
                } else {
                    let mut init = Item::stmt(f.init);
                    if let ItemKind::Stmt(s) = &mut init.kind {
                        s.comment.clone_from(&head.comment);
                    }
                    out.push(init);
                    body.push(Item::stmt(f.update));
                    let head = Box::new(tree::Head { comment: ArcStr::new(), ..*head });
                    out.push(Item {
                        id,
                        kind: ItemKind::Loop { head, kind: LoopKind::While(Box::new(f.condition)), body: Box::new(body) },
                    });
                }
            }
            ItemKind::Loop { head, kind, body } => {
                let body = uncount(program, *body, places, overlap, resized);
                out.push(Item { id, kind: ItemKind::Loop { head, kind, body: Box::new(body) } });
            }
        }
    }
    out
}
