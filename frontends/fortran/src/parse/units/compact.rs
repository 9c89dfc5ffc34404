//! Taking symbols out of a program that no scope lists any more: names that turned out to be procedures.
//!
//! Lives here: renumbering of symbol handles. Never here: which symbols are not needed.

use xaif::model::*;

/// Drops the symbols that no scope lists.
pub fn compact(p: &mut Program) {
    let mut listed = vec![false; p.symbols.len()];
    for s in p.scopes.iter().flat_map(|s| &s.symbols) {
        listed[s.index()] = true;
    }
    if listed.iter().all(|l| *l) {
        return;
    }
    let mut map = Vec::with_capacity(listed.len());
    let mut next = 0;
    for l in &listed {
        map.push(SymbolId(next));
        next += u32::from(*l);
    }
    p.symbols = std::mem::take(&mut p.symbols).into_iter().zip(&listed).filter(|(_, listed)| **listed).map(|(s, _)| s).collect();
    let m = Map(&map);
    for s in &mut p.scopes {
        s.symbols.iter_mut().for_each(|s| m.symbol(s));
    }
    for s in &mut p.symbols {
        let Some(d) = &mut s.decl else { continue };
        d.init.iter_mut().for_each(|e| m.expr(e));
        for dim in &mut d.dims {
            for b in [&mut dim.lower, &mut dim.upper] {
                if let Bound::Expr(e) = b {
                    m.expr(e);
                }
            }
        }
    }
    for u in &mut p.units {
        m.symbol(&mut u.symbol);
        u.formals.iter_mut().for_each(|f| m.symbol(&mut f.symbol));
        for v in u.graph.node_weights_mut() {
            match &mut v.kind {
                VertexKind::Block { stmts, .. } => stmts.iter_mut().for_each(|s| m.stmt(s)),
                VertexKind::For(f) => {
                    m.stmt(&mut f.init);
                    m.expr(&mut f.condition);
                    m.stmt(&mut f.update);
                }
                VertexKind::Pre(e) | VertexKind::Post(e) | VertexKind::Branch(e) => m.expr(e),
                _ => {}
            }
        }
    }
}

struct Map<'a>(&'a [SymbolId]);

impl Map<'_> {
    fn symbol(&self, s: &mut SymbolId) {
        *s = self.0[s.index()];
    }

    fn reference(&self, r: &mut VarRef) {
        self.symbol(&mut r.symbol);
        r.index_exprs_mut().for_each(|e| self.expr(e));
    }

    fn expr(&self, e: &mut Expr) {
        e.for_each_ref_mut(&mut |r| self.symbol(&mut r.symbol));
    }

    fn stmt(&self, s: &mut Stmt) {
        match &mut s.kind {
            StmtKind::Assignment { lhs, rhs } => {
                self.reference(lhs);
                self.expr(rhs);
            }
            StmtKind::Call(c) => {
                self.symbol(&mut c.callee);
                c.arguments.iter_mut().for_each(|a| self.expr(&mut a.value));
            }
            StmtKind::Marker(k) => {
                k.object.iter_mut().for_each(|o| self.reference(o));
                k.reads.iter_mut().chain(&mut k.writes).for_each(|s| self.symbol(s));
            }
            StmtKind::Propagator(_) | StmtKind::Runtime { .. } => {}
        }
    }
}
