//! Other symbols in the place of some.
//!
//! Lives here: the walk over nested code that replaces symbols. Never here: which symbols those are.

use super::tree::{Item, ItemKind, LoopKind};
use rustc_hash::FxHashMap;
use xaif::model::{Expr, Stmt, StmtKind, SymbolId, VarRef};

/// The same code with other symbols.
pub(crate) fn renamed(mut items: Vec<Item>, copies: &FxHashMap<SymbolId, SymbolId>) -> Vec<Item> {
    if !copies.is_empty() {
        rename(&mut items, copies);
    }
    items
}

fn rename(items: &mut [Item], copies: &FxHashMap<SymbolId, SymbolId>) {
    for item in items {
        match &mut item.kind {
            ItemKind::Stmt(s) => rename_stmt(s, copies),
            ItemKind::Branch { condition, arms, .. } => {
                rename_expr(condition, copies);
                arms.iter_mut().for_each(|a| rename(&mut a.body, copies));
            }
            ItemKind::Loop { kind, body, .. } => {
                match kind {
                    LoopKind::For(f) => {
                        rename_stmt(&mut f.init, copies);
                        rename_expr(&mut f.condition, copies);
                        rename_stmt(&mut f.update, copies);
                    }
                    LoopKind::While(c) | LoopKind::Until(c) => rename_expr(c, copies),
                }
                rename(body, copies);
            }
        }
    }
}

fn rename_expr(e: &mut Expr, copies: &FxHashMap<SymbolId, SymbolId>) {
    e.for_each_ref_mut(&mut |r| {
        if let Some(&c) = copies.get(&r.symbol) {
            r.symbol = c;
        }
    });
}

fn rename_ref(r: &mut VarRef, copies: &FxHashMap<SymbolId, SymbolId>) {
    for e in r.index_exprs_mut() {
        rename_expr(e, copies);
    }
    if let Some(&c) = copies.get(&r.symbol) {
        r.symbol = c;
    }
}

fn rename_stmt(s: &mut Stmt, copies: &FxHashMap<SymbolId, SymbolId>) {
    match &mut s.kind {
        StmtKind::Assignment { lhs, rhs } => {
            rename_ref(lhs, copies);
            rename_expr(rhs, copies);
        }
        StmtKind::Call(c) => c.arguments.iter_mut().for_each(|a| rename_expr(&mut a.value, copies)),
        StmtKind::Runtime { arguments, .. } => arguments.iter_mut().for_each(|a| rename_expr(&mut a.value, copies)),
        StmtKind::Marker(m) => {
            if let Some(o) = &mut m.object {
                rename_ref(o, copies);
            }
            for v in m.reads.iter_mut().chain(&mut m.writes) {
                if let Some(&c) = copies.get(v) {
                    *v = c;
                }
            }
        }
        StmtKind::Propagator(_) => {}
    }
}
