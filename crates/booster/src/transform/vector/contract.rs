//! Intermediate derivatives that live within one pass of a loop over directions: one number does for all directions.
//!
//! Never here: which statements share a loop.

use crate::transform::region::Item;
use crate::transform::walk::stmt_symbols_mut;
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::Program;
use xaif::model::{Stmt, StmtKind, SymbolId, VarRef, VertexId};

/// Takes the dimension of directions from those `candidates` that each loop sets before it reads them and that nothing else mentions; gives them.
pub(super) fn contract(
    program: &mut Program,
    code: &mut FxHashMap<VertexId, Vec<Item>>,
    mut candidates: FxHashSet<SymbolId>,
) -> FxHashSet<SymbolId> {
    // A component has directions where the others of its structure have.
    candidates.retain(|&s| program.symbol(s).ty.is_real() && !program.symbol(s).name.contains('%'));
    for item in code.values_mut().flatten() {
        match item {
            Item::Stmt(s) => stmt_symbols_mut(s, &mut |s| {
                candidates.remove(s);
            }),
            // There are no other loops here.
            Item::Loop { body, .. } => {
                let mut set: FxHashSet<SymbolId> = FxHashSet::default();
                for inner in body {
                    let Item::Stmt(Stmt { kind: StmtKind::Assignment { lhs, rhs }, .. }) = inner else { continue };
                    let mut read = |r: &VarRef| {
                        if !set.contains(&r.symbol) {
                            candidates.remove(&r.symbol);
                        }
                    };
                    rhs.for_each_ref(&mut read);
                    lhs.index_exprs().for_each(|e| e.for_each_ref(&mut read));
                    set.insert(lhs.symbol);
                }
            }
            Item::Branch { .. } => {}
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
