//! Intermediate derivatives that live within one pass of a loop over directions: one number does for all directions.
//!
//! Never here: which statements share a loop.

use crate::transform::region::Item;
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::Program;
use xaif::model::{Stmt, StmtKind, SymbolId, VarRef, VertexId};

/// Takes the dimension of directions from those `candidates` that each loop sets before it reads them and that nothing else mentions; gives them.
pub(super) fn contract(
    program: &mut Program,
    code: &mut FxHashMap<VertexId, Vec<Item>>,
    direction: SymbolId,
    mut candidates: FxHashSet<SymbolId>,
) -> FxHashSet<SymbolId> {
    for item in code.values().flatten() {
        match over_directions(item, direction) {
            Some(body) => {
                let mut set: FxHashSet<SymbolId> = FxHashSet::default();
                for s in body {
                    each_ref(s, &mut |r, target| {
                        if !target && !set.contains(&r.symbol) {
                            candidates.remove(&r.symbol);
                        }
                    });
                    each_ref(s, &mut |r, target| {
                        if target {
                            set.insert(r.symbol);
                        }
                    });
                }
            }
            None => {
                if let Item::Stmt(s) = item {
                    crate::transform::walk::stmt_symbols_mut(&mut s.clone(), &mut |s| {
                        candidates.remove(s);
                    });
                }
            }
        }
    }
    for item in code.values_mut().flatten() {
        let Item::Loop { body, .. } = item else { continue };
        for inner in body {
            let Item::Stmt(Stmt { kind: StmtKind::Assignment { lhs, rhs }, .. }) = inner else { continue };
            let plain = |r: &mut VarRef| {
                if candidates.contains(&r.symbol) {
                    *r = VarRef::whole(r.symbol);
                }
            };
            plain(lhs);
            rhs.for_each_ref_mut(&mut |r| plain(r));
        }
    }
    for &s in &candidates {
        let symbol = program.symbol_mut(s);
        symbol.rank = 0;
        symbol.decl.get_or_insert_default().dims.clear();
    }
    candidates
}

/// The statements of a loop over directions.
fn over_directions(item: &Item, direction: SymbolId) -> Option<Vec<&Stmt>> {
    let Item::Loop { head, body } = item else { return None };
    let own = matches!(&head.init.kind, StmtKind::Assignment { lhs, .. } if lhs.symbol == direction);
    own.then(|| body.iter().filter_map(|i| if let Item::Stmt(s) = i { Some(s) } else { None }).collect())
}

/// Every reference of an assignment; true for the variable that it sets.
fn each_ref(s: &Stmt, visit: &mut dyn FnMut(&VarRef, bool)) {
    let StmtKind::Assignment { lhs, rhs } = &s.kind else { return };
    rhs.for_each_ref(&mut |r| visit(r, false));
    lhs.index_exprs().for_each(|e| e.for_each_ref(&mut |r| visit(r, false)));
    visit(lhs, true);
}
