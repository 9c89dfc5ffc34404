//! Array assignments that read elements which they have set: what they compute goes into an array of its own first.
//!
//! ```text
//! u(2:n) = u(1:n-1)      ->      t = u(1:n-1);  u(2:n) = t
//! ```
//!
//! Lives here: which assignments. Never here: loops.

use super::temporaries::{array, extents};
use xaif::model::{Expr, NodeKind, Program, ScopeId, Stmt, StmtKind, Stmts, SymbolId, VarRef, VertexKind};
use xaif::{offsets, types};

/// Gives them these arrays.
pub(super) fn through_arrays(program: &mut Program) {
    for id in program.unit_ids() {
        let scope = program.unit(id).scope;
        let mut graph = std::mem::take(&mut program.units[id.index()].graph);
        for v in graph.node_weights_mut() {
            let VertexKind::Block { stmts, .. } = &mut v.kind else { continue };
            if !stmts.iter().any(|s| overlaps(program, s)) {
                continue;
            }
            let mut out = Stmts::with_capacity(stmts.len());
            for s in std::mem::take(stmts) {
                if !overlaps(program, &s) {
                    out.push(s);
                    continue;
                }
                match apart(program, scope, &s) {
                    Some(list) => out.extend(list.into_iter().map(Box::new)),
                    None => out.push(s),
                }
            }
            *stmts = out;
        }
        program.units[id.index()].graph = graph;
    }
}

/// Whether the right side may read what a loop over the elements of the left side has set.
fn overlaps(program: &Program, s: &Stmt) -> bool {
    let StmtKind::Assignment { lhs, rhs } = &s.kind else { return false };
    if types::of_ref(program, lhs).rank == 0 {
        return false;
    }
    let may = |s: SymbolId| program.symbol(s).decl.as_ref().is_some_and(|d| d.may_alias);
    let aliased = |s: SymbolId| s != lhs.symbol && may(s) && may(lhs.symbol) && program.symbol(s).ty == program.symbol(lhs.symbol).ty;
    let moved = rhs.nodes.iter().any(|n| matches!(&n.kind, NodeKind::Op(op) if matches!(op.name.as_str(), "matmul_arr" | "transpose_arr")));
    let mut found = false;
    rhs.for_each_ref(&mut |r| found |= r.symbol == lhs.symbol && (moved || !offsets::same_place(r, lhs)) || aliased(r.symbol));
    for e in lhs.index_exprs() {
        e.for_each_ref(&mut |r| found |= r.symbol == lhs.symbol);
    }
    found
}

/// The statements that take its place; none where the extents are not known.
fn apart(program: &mut Program, scope: ScopeId, s: &Stmt) -> Option<Vec<Stmt>> {
    let StmtKind::Assignment { lhs, rhs } = &s.kind else { return None };
    let extents = extents(program, lhs)?;
    let t = array(program, scope, program.symbol(lhs.symbol).ty, extents);
    let set = StmtKind::Assignment { lhs: VarRef::whole(t.symbol), rhs: rhs.clone() };
    let back = StmtKind::Assignment { lhs: lhs.clone(), rhs: Expr::sym(t.symbol) };
    let kinds = t.before.into_iter().chain([set, back]).chain(t.behind);
    let mut out: Vec<Stmt> = kinds.map(|kind| Stmt { kind, id: Default::default(), step: None, ..s.clone() }).collect();
    out.iter_mut().skip(1).for_each(|s| s.comment = Default::default());
    Some(out)
}
