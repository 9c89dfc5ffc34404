//! Other symbols in the place of some.
//!
//! Lives here: the walk over nested code that replaces symbols. Never here: which symbols those are.

use super::tree::{Item, ItemKind, LoopKind};
use crate::transform::walk::{expr_symbols_mut, stmt_symbols_mut};
use rustc_hash::FxHashMap;
use xaif::model::SymbolId;

/// The same code with other symbols.
pub(crate) fn renamed(mut items: Vec<Item>, copies: &FxHashMap<SymbolId, SymbolId>) -> Vec<Item> {
    rename(&mut items, copies);
    items
}

/// Puts other symbols into some code.
pub(crate) fn rename(items: &mut [Item], copies: &FxHashMap<SymbolId, SymbolId>) {
    if !copies.is_empty() {
        change_all(items, &mut |s| {
            if let Some(&c) = copies.get(s) {
                *s = c;
            }
        });
    }
}

fn change_all(items: &mut [Item], change: &mut dyn FnMut(&mut SymbolId)) {
    for item in items {
        match &mut item.kind {
            ItemKind::Stmt(s) => stmt_symbols_mut(s, change),
            ItemKind::Branch { condition, arms, .. } => {
                expr_symbols_mut(condition, change);
                arms.iter_mut().for_each(|a| change_all(&mut a.body, change));
            }
            ItemKind::Loop { kind, body, .. } => {
                match kind {
                    LoopKind::For(f) => {
                        stmt_symbols_mut(&mut f.init, change);
                        expr_symbols_mut(&mut f.condition, change);
                        stmt_symbols_mut(&mut f.update, change);
                    }
                    LoopKind::While(c) | LoopKind::Until(c) => expr_symbols_mut(c, change),
                }
                change_all(body, change);
            }
        }
    }
}
