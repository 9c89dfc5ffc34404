//! Every symbol, and every reference, that stands in a vertex of a control-flow graph.
//!
//! Never here: expressions' structure, analyses.

use crate::model::{Expr, Propagation, Stmt, StmtKind, SymbolId, VarRef, Vertex, VertexKind};

/// Calls `change` for every symbol in a vertex.
pub fn symbols_mut(vertex: &mut Vertex, change: &mut dyn FnMut(&mut SymbolId)) {
    match &mut vertex.kind {
        VertexKind::Block { stmts, .. } => stmts.iter_mut().for_each(|s| stmt_symbols_mut(s, change)),
        VertexKind::For(f) => {
            stmt_symbols_mut(&mut f.init, change);
            expr_symbols_mut(&mut f.condition, change);
            stmt_symbols_mut(&mut f.update, change);
        }
        VertexKind::Pre(e) | VertexKind::Post(e) | VertexKind::Branch(e) => expr_symbols_mut(e, change),
        _ => {}
    }
}

/// Calls `change` for every symbol in an expression.
pub fn expr_symbols_mut(e: &mut Expr, change: &mut dyn FnMut(&mut SymbolId)) {
    e.for_each_ref_mut(&mut |r| change(&mut r.symbol));
}

/// Calls `change` for every symbol in a reference.
pub fn ref_symbols_mut(r: &mut VarRef, change: &mut dyn FnMut(&mut SymbolId)) {
    r.for_each_ref_mut(&mut |r| change(&mut r.symbol));
}

/// Calls `change` for every symbol in a statement.
pub fn stmt_symbols_mut(s: &mut Stmt, change: &mut dyn FnMut(&mut SymbolId)) {
    match &mut s.kind {
        StmtKind::Assignment { lhs, rhs } => {
            ref_symbols_mut(lhs, change);
            expr_symbols_mut(rhs, change);
        }
        StmtKind::Call(c) => {
            change(&mut c.callee);
            c.arguments.iter_mut().for_each(|a| expr_symbols_mut(&mut a.value, change));
        }
        StmtKind::Marker(m) => {
            if let Some(o) = &mut m.object {
                ref_symbols_mut(o, change);
            }
            m.reads.iter_mut().for_each(&mut *change);
            m.writes.iter_mut().for_each(change);
        }
        StmtKind::Propagator(list) => {
            for p in list {
                match p {
                    Propagation::Set { target, source }
                    | Propagation::SetNeg { target, source }
                    | Propagation::Inc { target, source }
                    | Propagation::Dec { target, source } => {
                        ref_symbols_mut(target, change);
                        ref_symbols_mut(source, change);
                    }
                    Propagation::Sax { terms, y } | Propagation::Saxpy { terms, y } => {
                        for (e, r) in terms {
                            expr_symbols_mut(e, change);
                            ref_symbols_mut(r, change);
                        }
                        ref_symbols_mut(y, change);
                    }
                    Propagation::Zero { target } => ref_symbols_mut(target, change),
                }
            }
        }
        StmtKind::Runtime { arguments, .. } => arguments.iter_mut().for_each(|a| expr_symbols_mut(&mut a.value, change)),
    }
}

/// Calls `change` for every reference in a vertex, those inside subscripts before the one that they subscript.
pub fn refs_mut(vertex: &mut Vertex, change: &mut dyn FnMut(&mut VarRef)) {
    match &mut vertex.kind {
        VertexKind::Block { stmts, .. } => stmts.iter_mut().for_each(|s| stmt_refs_mut(s, change)),
        VertexKind::For(f) => {
            stmt_refs_mut(&mut f.init, change);
            f.condition.for_each_ref_mut(change);
            stmt_refs_mut(&mut f.update, change);
        }
        VertexKind::Pre(e) | VertexKind::Post(e) | VertexKind::Branch(e) => e.for_each_ref_mut(change),
        _ => {}
    }
}

/// Calls `change` for every reference in a statement, but for those of propagators.
pub fn stmt_refs_mut(s: &mut Stmt, change: &mut dyn FnMut(&mut VarRef)) {
    match &mut s.kind {
        StmtKind::Assignment { lhs, rhs } => {
            rhs.for_each_ref_mut(change);
            lhs.for_each_ref_mut(change);
        }
        StmtKind::Call(c) => c.arguments.iter_mut().for_each(|a| a.value.for_each_ref_mut(change)),
        StmtKind::Runtime { arguments, .. } => arguments.iter_mut().for_each(|a| a.value.for_each_ref_mut(change)),
        StmtKind::Marker(m) => m.object.iter_mut().for_each(|o| o.for_each_ref_mut(change)),
        StmtKind::Propagator(_) => {}
    }
}
