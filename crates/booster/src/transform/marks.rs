//! References that take no part in derivatives, marked in derivative units while these are made.
//!
//! ```text
//! t(1) = 2                      t(1), passive
//! y = t(1)*t(2)       ->        yb increments t(2)'s adjoint only; a tangent of t(1) is neither set nor read
//! ```
//!
//! Activity knows parts of arrays that never have a derivative although their array has one. Whoever makes a derivative unit sees them as references whose
//! `active` attribute is false. What a file says there is forgotten first: activity is ours.
//!
//! Lives here: setting these marks and taking them away. Never here: which references are passive (see [`crate::analysis::activity::solver`]).

use super::walk;
use crate::analysis::activity::active::Passive;
use crate::analysis::program::steps;
use xaif::model::{Expr, FlowGraph, NodeKind, Stmt, StmtKind, Tri, VarRef};

/// Marks the references of a unit's graph that are passive, and no others. Its statements have their handles.
pub fn set(graph: &mut FlowGraph, passive: &Passive) {
    for v in graph.node_weights_mut() {
        steps::each(&mut v.kind, &mut |_, s| {
            let list = s.step.and_then(|step| passive.get(&step)).map_or(&[][..], |l| l);
            in_stmt(s, list);
        });
    }
}

fn in_stmt(s: &mut Stmt, passive: &[VarRef]) {
    let StmtKind::Assignment { lhs, rhs } = &mut s.kind else { return };
    let mark = |r: &mut VarRef| {
        let hit = passive.iter().any(|p| p.symbol == r.symbol && p.subscripts == r.subscripts);
        let wanted = if hit { Tri::False } else { Tri::Undefined };
        if r.active != wanted {
            r.active = wanted;
        }
    };
    mark(lhs);
    top_refs(rhs).for_each(mark);
}

/// References at the expression's own level.
fn top_refs(e: &mut Expr) -> impl Iterator<Item = &mut VarRef> {
    e.nodes.iter_mut().filter_map(|n| match &mut n.kind {
        NodeKind::Var(r) => Some(r),
        _ => None,
    })
}

/// Takes all marks away.
pub fn clear(graph: &mut FlowGraph) {
    graph.node_weights_mut().for_each(|v| walk::refs_mut(v, &mut |r| r.active = Tri::Undefined));
}
