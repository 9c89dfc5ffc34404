//! Which variables code names.
//!
//! Lives here: the walk. Never here: whether they are read or written.

use super::tree::Item;
use crate::transform::adjoint::code::tree;
use rustc_hash::FxHashSet;
use xaif::model::{Stmt, StmtKind, SymbolId, VarRef};

/// Every variable that a statement names.
pub(crate) fn in_stmt(s: &Stmt, visit: &mut dyn FnMut(SymbolId)) {
    let mut refs = |r: &VarRef| visit(r.symbol);
    match &s.kind {
        StmtKind::Assignment { lhs, rhs } => {
            for e in lhs.index_exprs() {
                e.for_each_ref(&mut refs);
            }
            rhs.for_each_ref(&mut refs);
            refs(lhs);
        }
        StmtKind::Call(c) => c.arguments.iter().for_each(|a| a.value.for_each_ref(&mut refs)),
        StmtKind::Runtime { arguments, .. } => arguments.iter().for_each(|a| a.value.for_each_ref(&mut refs)),
        StmtKind::Marker(m) => {
            if let Some(o) = &m.object {
                o.index_exprs().for_each(|e| e.for_each_ref(&mut refs));
                refs(o);
            }
            m.reads.iter().chain(&m.writes).for_each(|&v| visit(v));
        }
        StmtKind::Propagator(_) => {}
    }
}

/// Visits every variable that some code names, each as often as it is named.
pub(crate) fn for_each_mention(items: &[Item], visit: &mut dyn FnMut(SymbolId)) {
    tree::for_each_stmt(items, &mut |s| in_stmt(s, visit));
    tree::for_each_condition(items, &mut |c| c.for_each_ref(&mut |r| visit(r.symbol)));
}

/// Every variable that assignments in some code set.
pub(crate) fn set(items: &[Item], into: &mut FxHashSet<SymbolId>) {
    tree::for_each_stmt(items, &mut |s| {
        if let StmtKind::Assignment { lhs, .. } = &s.kind {
            into.insert(lhs.symbol);
        }
    });
}

/// Every variable that some code names.
pub(crate) fn mentioned(items: &[Item], into: &mut FxHashSet<SymbolId>) {
    for_each_mention(items, &mut |v| {
        into.insert(v);
    });
}
