//! Whose values nobody reads behind a statement: variables that every basic block sets before it reads them die at its end.
//!
//! Lives here: this simple form of liveness, for scalars. Never here: what may share memory, or be seen from outside the unit; the caller leaves
//! those out.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use xaif::model::{Expr, FlowGraph, ForLoop, Stmt, StmtKind, SymbolId, VarRef, VertexKind};

/// Variables that some block reads before it has set them.
#[derive(Clone, Debug, Default)]
pub struct Exposed {
    set: FxHashSet<SymbolId>,
}

/// Calls back for all variables that a statement looks at, then for a scalar that it sets, if it sets one whole.
fn accesses(s: &Stmt, read: &mut dyn FnMut(SymbolId), set: &mut dyn FnMut(SymbolId)) {
    match &s.kind {
        StmtKind::Assignment { lhs, rhs } => {
            rhs.for_each_ref(&mut |r| read(r.symbol));
            lhs.index_exprs().for_each(|e| e.for_each_ref(&mut |r| read(r.symbol)));
            if lhs.subscripts.is_empty() { set(lhs.symbol) } else { read(lhs.symbol) }
        }
        StmtKind::Call(c) => c.arguments.iter().for_each(|a| a.value.for_each_ref(&mut |r| read(r.symbol))),
        StmtKind::Runtime { arguments, .. } => arguments.iter().for_each(|a| a.value.for_each_ref(&mut |r| read(r.symbol))),
        StmtKind::Marker(m) => {
            m.reads.iter().chain(&m.writes).for_each(|&s| read(s));
            if let Some(o) = &m.object {
                read(o.symbol);
                o.index_exprs().for_each(|e| e.for_each_ref(&mut |r| read(r.symbol)));
            }
        }
        StmtKind::Propagator(list) => {
            let mut at = |r: &VarRef| read(r.symbol);
            for p in list {
                if let xaif::model::Propagation::Sax { terms, y } = p {
                    terms.iter().for_each(|(_, x)| at(x));
                    at(y);
                }
            }
        }
    }
}

impl Exposed {
    /// Those of a graph.
    pub fn of(graph: &FlowGraph) -> Exposed {
        let mut out = Exposed::default();
        for v in graph.node_weights() {
            match &v.kind {
                VertexKind::Block { stmts, .. } => out.block(stmts.iter().map(|s| &**s)),
                VertexKind::For(f) => out.head(f),
                VertexKind::Pre(c) | VertexKind::Post(c) | VertexKind::Branch(c) => out.expr(c),
                _ => {}
            }
        }
        out
    }

    /// Takes a block in.
    pub fn block<'a>(&mut self, stmts: impl IntoIterator<Item = &'a Stmt>) {
        let mut done: FxHashSet<SymbolId> = FxHashSet::default();
        for s in stmts {
            let mut written = None;
            let exposed = &mut self.set;
            accesses(
                s,
                &mut |r| {
                    if !done.contains(&r) {
                        exposed.insert(r);
                    }
                },
                &mut |w| written = Some(w),
            );
            done.extend(written);
        }
    }

    /// Takes in what is read outside of blocks.
    pub fn expr(&mut self, e: &Expr) {
        e.for_each_ref(&mut |r| {
            self.set.insert(r.symbol);
        });
    }

    /// Takes in what the head of a loop reads and sets.
    pub fn head(&mut self, f: &ForLoop) {
        self.expr(&f.condition);
        for head in [&f.init, &f.update] {
            if let StmtKind::Assignment { lhs, rhs } = &head.kind {
                self.set.insert(lhs.symbol);
                self.expr(rhs);
            }
        }
    }

    /// Whether some block needs the value that another one left.
    pub fn has(&self, s: SymbolId) -> bool {
        self.set.contains(&s)
    }
}

/// The accesses of one block, by variable.
#[derive(Clone, Debug, Default)]
pub struct Accesses {
    /// Statements in order, with whether the variable is only set there.
    by_symbol: FxHashMap<SymbolId, Vec<(usize, bool)>>,
}

impl Accesses {
    /// Those of a block.
    pub fn of(stmts: &[Box<Stmt>]) -> Accesses {
        let mut out = Accesses::default();
        for (at, s) in stmts.iter().enumerate() {
            let mut list: SmallVec<[(SymbolId, bool); 8]> = SmallVec::new();
            let mut written = None;
            accesses(s, &mut |r| list.push((r, false)), &mut |w| written = Some(w));
            if let Some(w) = written.filter(|w| list.iter().all(|(r, _)| r != w)) {
                list.push((w, true));
            }
            for (symbol, only_set) in list {
                let l = out.by_symbol.entry(symbol).or_default();
                if l.last().is_none_or(|&(k, _)| k != at) {
                    l.push((at, only_set));
                }
            }
        }
        out
    }

    /// Whether the value of a variable is read at or behind a statement before it is set again there.
    pub fn read_from(&self, s: SymbolId, number: usize) -> bool {
        let Some(l) = self.by_symbol.get(&s) else { return false };
        let at = l.partition_point(|&(k, _)| k < number);
        l.get(at).is_some_and(|&(_, only_set)| !only_set)
    }
}
