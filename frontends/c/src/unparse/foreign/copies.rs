//! What C cannot hand over, or look at, as it stands: it is copied to an array of its own.
//!
//! ```text
//! call f(a(:, 1:n:2))                ->      t = a(:, 1:n:2);  call f(t);  a(:, 1:n:2) = t
//! c = c + matmul(a(1:k, :), b + c)   ->      t = a(1:k, :);  u = b + c;  c = c + matmul(t, u)
//! ```
//!
//! Lives here: sections with gaps in calls, operands of products of matrices. Never here: loops.

use super::temporaries::{Temporary, array, extents, shape};
use xaif::model::{
    Call, Expr, IndexOrder, Intent, NodeId, NodeKind, Passing, Program, ScopeId, Stmt, StmtKind, Stmts, Triplet, VarRef, VertexKind,
};
use xaif::types;

/// Gives calls and products these arrays.
pub(super) fn made(program: &mut Program) {
    for id in program.unit_ids() {
        let scope = program.unit(id).scope;
        let mut graph = std::mem::take(&mut program.units[id.index()].graph);
        for v in graph.node_weights_mut() {
            let VertexKind::Block { stmts, .. } = &mut v.kind else { continue };
            let mut out = Stmts::with_capacity(stmts.len());
            for mut s in std::mem::take(stmts) {
                let (before, behind) = match &mut s.kind {
                    StmtKind::Call(call) => handed_over(program, scope, call),
                    StmtKind::Assignment { lhs, rhs } => factors(program, scope, lhs, rhs),
                    _ => Default::default(),
                };
                let like = |kind: StmtKind| {
                    Box::new(Stmt { id: Default::default(), step: None, comment: Default::default(), kind, ..(*s).clone() })
                };
                let (before, behind): (Vec<_>, Vec<_>) = (before.into_iter().map(like).collect(), behind.into_iter().map(like).collect());
                out.extend(before);
                out.push(s);
                out.extend(behind);
            }
            *stmts = out;
        }
        program.units[id.index()].graph = graph;
    }
}

type Around = (Vec<StmtKind>, Vec<StmtKind>);

fn put(around: &mut Around, t: Temporary, value: Expr) {
    around.0.extend(t.before);
    around.0.push(StmtKind::Assignment { lhs: VarRef::whole(t.symbol), rhs: value });
    around.1.extend(t.behind);
}

/// Sections with gaps.
fn handed_over(program: &mut Program, scope: ScopeId, call: &mut Call) -> Around {
    let mut around = Around::default();
    let Some(callee) = program.unit_of_symbol(call.callee) else { return around };
    let formals = program.unit(callee).formals.clone();
    for a in &mut call.arguments {
        let Some(formal) = formals.iter().find(|f| f.position == a.position) else { continue };
        let Some(r) = a.value.as_var().cloned() else { continue };
        if program.symbol(formal.symbol).passing() == Passing::Value || !r.has_section() || lies_together(program, &r) {
            continue;
        }
        let Some(extents) = extents(program, &r) else { continue };
        let t = array(program, scope, program.symbol(r.symbol).ty, extents);
        let symbol = t.symbol;
        if formal.intent != Intent::In {
            around.1.push(StmtKind::Assignment { lhs: r.clone(), rhs: Expr::sym(symbol) });
        }
        put(&mut around, t, Expr::var(r));
        a.value = Expr::sym(symbol);
    }
    around
}

/// True where the elements of a section lie one behind the other: elements, then one range, then whole dimensions.
fn lies_together(program: &Program, r: &VarRef) -> bool {
    let mut triplets: Vec<&Triplet> = r.subscripts.iter().collect();
    if program.index_order == IndexOrder::Row {
        triplets.reverse();
    }
    let mut open = true;
    for t in triplets {
        let unit = t.stride.as_ref().is_none_or(|s| s.as_int() == Some(1));
        let whole = t.index.is_none() && t.bound.is_none() && unit;
        match (open, t.is_section()) {
            (true, true) if whole => {}
            (true, true) if unit => open = false,
            (_, true) => return false,
            (_, false) => {
                let list = t.index.as_ref().is_some_and(|e| types::of(program, e).rank > 0);
                if list {
                    return false;
                }
                open = false;
            }
        }
    }
    true
}

/// Operands of products of matrices, and of transpositions, that are no whole arrays.
fn factors(program: &mut Program, scope: ScopeId, lhs: &VarRef, rhs: &mut Expr) -> Around {
    let mut around = Around::default();
    let product = |n: &NodeKind| matches!(n, NodeKind::Op(op) if matches!(op.name.as_str(), "matmul_arr" | "transpose_arr"));
    if !rhs.nodes.iter().any(|n| product(&n.kind)) || types::of_ref(program, lhs).rank == 0 {
        return around;
    }
    let mut done: Vec<Expr> = Vec::with_capacity(rhs.nodes.len());
    for (k, n) in rhs.nodes.iter().enumerate() {
        let mut operands: Vec<Expr> = n.operands.iter().map(|o| done[o.index()].clone()).collect();
        if product(&n.kind) {
            for o in &mut operands {
                let whole = o.as_var().is_some_and(|r| r.subscripts.is_empty());
                let found = types::of(program, o);
                let Some(extents) = shape(program, o).filter(|_| !whole && found.rank > 0) else { continue };
                let t = array(program, scope, found.elem, extents);
                let symbol = t.symbol;
                put(&mut around, t, std::mem::replace(o, Expr::sym(symbol)));
            }
        }
        done.push(if n.operands.is_empty() { rhs.subexpr(NodeId(k as u32)) } else { Expr::node(n.kind.clone(), operands) });
    }
    *rhs = done.pop().unwrap_or_default();
    around
}
