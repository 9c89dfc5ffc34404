//! Flags: variables that stand for jumps.
//!
//! Lives here: where a jump goes, settings of flags, and dropping those that nobody reads. Never here: which jumps there are.

use crate::transform::adjoint::code::tree::{Item, ItemKind, for_each_condition};
use rustc_hash::FxHashSet;
use xaif::model::{BoolOp, ElemType, Expr, Stmt, StmtKind, SymbolId, VarRef, VertexId};

/// How the rewriting gets a new variable: a wish for a name, and the type.
pub(crate) type Fresh<'a> = dyn FnMut(&str, ElemType) -> SymbolId + 'a;

/// Where a jump goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Target {
    /// Behind this loop.
    After(VertexId),
    /// To the end of this loop's body.
    Next(VertexId),
    /// Behind this branch.
    Join(VertexId),
    /// To this labelled vertex, further down in an enclosing sequence.
    Label(VertexId),
    /// Back to this labelled vertex, from behind it in the same sequence or inside of that.
    Again(VertexId),
    /// To the beginning of this arm, from one before it.
    Arm(VertexId),
    /// Out of the unit.
    Unit,
}

/// `flag = value`.
pub(super) fn set(flag: SymbolId, value: bool) -> Item {
    Item::stmt(Stmt::assign(VarRef::whole(flag), Expr::bool(value)))
}

pub(super) fn not(flag: SymbolId) -> Expr {
    Expr::boolean(BoolOp::Not, [Expr::sym(flag)])
}

/// Drops the settings of flags that no condition reads.
pub(super) fn drop_unread(items: &mut Vec<Item>, flags: &[(Target, SymbolId)]) {
    if flags.is_empty() {
        return;
    }
    let mut read: FxHashSet<SymbolId> = FxHashSet::default();
    for_each_condition(items, &mut |c| {
        c.for_each_ref(&mut |r| {
            read.insert(r.symbol);
        })
    });
    let unread: FxHashSet<SymbolId> = flags.iter().map(|(_, f)| *f).filter(|f| !read.contains(f)).collect();
    retain(items, &unread);
}

fn retain(items: &mut Vec<Item>, unread: &FxHashSet<SymbolId>) {
    items.retain_mut(|item| match &mut item.kind {
        ItemKind::Stmt(s) => !matches!(&s.kind, StmtKind::Assignment { lhs, .. } if unread.contains(&lhs.symbol)),
        ItemKind::Branch { arms, .. } => {
            for arm in arms.iter_mut() {
                retain(&mut arm.body, unread);
            }
            arms.retain(|a| !a.values.is_empty() || !a.body.is_empty());
            true
        }
        ItemKind::Loop { body, .. } => {
            retain(body, unread);
            true
        }
    });
}
