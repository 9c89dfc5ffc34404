//! Arguments that a call changes under its own feet.
//!
//! ```text
//! g(h(1), ...)  where g writes h      ->      a = h(1);  g(a, ...)
//! ```
//!
//! The reverse sweep hands the same arguments over again; a value that the call itself makes impossible to compute again gets a variable,
//! which is then recorded like any other.
//!
//! Lives here: this preparation of a unit's own copy. Never here: calls' adjoints.

use super::calls::PlannedCalls;
use crate::transform::plan::Plan;
use xaif::Program;
use xaif::model::{Expr, Stmt, StmtKind, VarRef, VertexKind};

/// Prepares the calls of the derivative unit at `at`.
pub(crate) fn arguments(
    program: &mut Program,
    plan: &mut Plan,
    at: usize,
    overlap: &dyn Fn(xaif::model::SymbolId, xaif::model::SymbolId) -> bool,
) {
    let unit = plan.derived[at].unit;
    let vertices: Vec<_> = program.unit(unit).graph.node_indices().collect();
    for v in vertices {
        let calls = |s: &Stmt| matches!(s.kind, StmtKind::Call(_));
        if !program.unit(unit).graph[v].stmts().iter().any(|s| calls(s)) {
            continue;
        }
        let stmts = program.unit(unit).graph[v].stmts().to_vec();
        let mut out = Vec::with_capacity(stmts.len());
        for mut s in stmts {
            let span = s.span;
            if let StmtKind::Call(c) = &mut s.kind {
                let changed = PlannedCalls::values_at_risk(program, plan, at, c, overlap);
                for (k, formal) in changed {
                    let (name, ty) = (program.symbol(formal).name.clone(), program.symbol(formal).ty);
                    let t = plan.temporary(program, at, &name, ty);
                    let mut active = false;
                    c.arguments[k].value.for_each_ref(&mut |r| active |= plan.derived[at].companion(r.symbol).is_some());
                    if active && ty.is_real() {
                        plan.make_companion(program, at, t, false);
                    }
                    let value = std::mem::replace(&mut c.arguments[k].value, Expr::sym(t));
                    out.push(Box::new(Stmt { span, ..Stmt::assign(VarRef::whole(t), value) }));
                }
            }
            out.push(s);
        }
        if let VertexKind::Block { stmts, .. } = &mut program.units[unit.index()].graph[v].kind {
            *stmts = out;
        }
    }
}
