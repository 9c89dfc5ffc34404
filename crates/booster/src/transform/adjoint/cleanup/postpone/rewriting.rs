//! Changes of code that postponed stores ask for: statements taken out, statements that set instead of adding, copies read where they come from, and the loops
//! that do a store after all.
//!
//! Lives here: these changes. Never here: where they are asked for.

use super::postponed::{Postponed, Value};
use super::{Event, Place, Postpone};
use crate::analysis::arrays::counted::for_loop;
use crate::linearize::fold::{Fold, zero};
use crate::transform::adjoint::code::expressions::{plus, same_place, without};
use crate::transform::adjoint::code::tree::{Item, ItemId, ItemKind, LoopKind, comment};
use xaif::model::{Expr, IndexOrder, Stmt, StmtKind, VarRef};

impl Postpone<'_> {
    /// A statement that adds to zero sets instead.
    pub(crate) fn sets(&self, item: &mut Item, id: ItemId) {
        let f = Fold { program: self.arrays.program };
        change(std::slice::from_mut(item), id, &mut |i| {
            if let ItemKind::Stmt(s) = &mut i.kind
                && let StmtKind::Assignment { lhs, rhs } = &mut s.kind
                && let Some(rest) = without(f, rhs, lhs)
            {
                *rhs = rest;
            }
        });
    }

    pub(crate) fn reads_instead(&self, item: &mut Item, id: ItemId, what: &VarRef, with: &VarRef) {
        let f = Fold { program: self.arrays.program };
        let with = self.written_out(with);
        let put = |e: &mut Expr| *e = f.rebuilt(e, &|r| same_place(r, what).then(|| Expr::var(with.clone())));
        change(std::slice::from_mut(item), id, &mut |i| match &mut i.kind {
            ItemKind::Stmt(s) => {
                if let StmtKind::Assignment { lhs, rhs } = &mut s.kind {
                    lhs.index_exprs_mut().for_each(put);
                    put(rhs);
                }
            }
            ItemKind::Branch { condition, .. } => put(condition),
            ItemKind::Loop { kind: LoopKind::While(c) | LoopKind::Until(c), .. } => put(c),
            ItemKind::Loop { kind: LoopKind::For(h), .. } => {
                put(&mut h.condition);
                for s in [&mut h.init, &mut h.update] {
                    if let StmtKind::Assignment { rhs, .. } = &mut s.kind {
                        put(rhs);
                    }
                }
            }
        });
    }

    fn written_out(&self, r: &VarRef) -> VarRef {
        let mut out = r.clone();
        out.index_exprs_mut().for_each(|e| *e = self.sum(e));
        out
    }

    /// A sum with a constant as people write it.
    fn sum(&self, e: &Expr) -> Expr {
        plus(Fold { program: self.arrays.program }, e, 0)
    }

    /// Does stores.
    pub(crate) fn write(&mut self, stores: &[Postponed], out: &mut Vec<Item>, place: &Place) {
        for store in stores.iter().filter(|s| !s.written) {
            if place.depth >= store.depth && place.arms <= store.arms {
                self.log.extend(store.origins.iter().map(|o| (*o, Event::Done)));
            }
            match self.code(store) {
                Some(item) => out.push(item),
                None => self.failed = true,
            }
        }
    }

    /// The loops that do a store.
    fn code(&self, store: &Postponed) -> Option<Item> {
        let program = self.arrays.program;
        let f = Fold { program };
        let mut heads = Vec::new();
        let mut subscripts = Vec::new();
        for (span, over) in store.part.iter().zip(&store.over) {
            let (low, high) = (self.sum(&span.low), self.sum(&span.high));
            if span.low == span.high {
                subscripts.push(low);
                continue;
            }
            let index = *self.arrays.indices.get(&(*over)?)?;
            subscripts.push(Expr::sym(index));
            heads.push(for_loop(f, index, low, high, Expr::int(1)));
        }
        let place = VarRef::element(store.array, subscripts);
        let value = match &store.value {
            Value::Zero => zero(program.symbol(store.array).ty),
            Value::Copy { .. } => Expr::var(self.written_out(&store.source(&place)?)),
            Value::Any => return None,
        };
        let mut item = Item::stmt(Stmt::assign(place, value));
        // The index that varies fastest goes innermost.
        if program.index_order == IndexOrder::Row {
            heads.reverse();
        }
        for head in heads {
            item = Item::repeat(LoopKind::For(Box::new(head)), vec![item]);
        }
        Some(item)
    }
}

/// Changes the item with a number.
fn change(items: &mut [Item], id: ItemId, with: &mut dyn FnMut(&mut Item)) {
    for item in items {
        if item.id == id {
            with(item);
            return;
        }
        match &mut item.kind {
            ItemKind::Stmt(_) => {}
            ItemKind::Branch { arms, .. } => arms.iter_mut().for_each(|a| change(&mut a.body, id, with)),
            ItemKind::Loop { body, .. } => change(body, id, with),
        }
    }
}

/// Takes a statement out, and loops that have nothing else in them. Comments go to what follows.
pub(crate) fn take(items: &mut Vec<Item>, id: ItemId) {
    let mut text = String::new();
    for mut item in std::mem::take(items) {
        let mut gone = item.id == id && matches!(item.kind, ItemKind::Stmt(_));
        if let ItemKind::Loop { body, .. } = &mut item.kind
            && !body.is_empty()
        {
            take(body, id);
            gone = body.is_empty();
        }
        if gone {
            let own = match &item.kind {
                ItemKind::Stmt(s) => &s.comment,
                ItemKind::Branch { head, .. } | ItemKind::Loop { head, .. } => &head.comment,
            };
            text = if text.is_empty() { own.to_string() } else { format!("{text}\n{own}") };
            continue;
        }
        comment(std::slice::from_mut(&mut item), std::mem::take(&mut text));
        items.push(item);
    }
}
