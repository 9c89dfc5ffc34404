//! Addresses that a stock file gives: which variables of a unit its alias sets put into the same place.
//!
//! Whoever wrote the file may know what its text does not say (EQUIVALENCE, pointers). What meets there may overlap here, for variables of one type.
//!
//! Source: the XAIF schema, AliasSetList: references have keys of sets of ranges of virtual addresses; two may be the same place where their sets have an
//! address in common.
//!
//! Lives here: references with their keys, and pairs. Never here: overlaps that calls bring about.

use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use xaif::Program;
use xaif::model::{AliasSet, Expr, Span, Stmt, StmtKind, SymbolId, UnitId, VarRef, VertexId, VertexKind};

/// Vertex and step of each reference, where it stands, and whether it is set there.
pub type References<'a> = Vec<((VertexId, usize), Span, &'a VarRef, bool)>;

/// The references of the statements and conditions of a unit, subscripts included.
pub fn references(program: &Program, unit: UnitId) -> References<'_> {
    let mut out = Vec::new();
    let graph = &program.unit(unit).graph;
    for v in graph.node_indices() {
        let span = graph[v].span;
        match &graph[v].kind {
            VertexKind::Block { stmts, .. } => stmts.iter().enumerate().for_each(|(k, s)| of_stmt(s, (v, k), &mut out)),
            VertexKind::For(f) => {
                of_stmt(&f.init, (v, 0), &mut out);
                of_stmt(&f.update, (v, 1), &mut out);
                of_expr(&f.condition, (v, 2), span, &mut out);
            }
            VertexKind::Pre(e) | VertexKind::Post(e) | VertexKind::Branch(e) => of_expr(e, (v, 0), span, &mut out),
            _ => {}
        }
    }
    out
}

fn of_stmt<'a>(s: &'a Stmt, at: (VertexId, usize), out: &mut References<'a>) {
    match &s.kind {
        StmtKind::Assignment { lhs, rhs } => {
            lhs.index_exprs().for_each(|e| of_expr(e, at, s.span, out));
            out.push((at, s.span, lhs, true));
            of_expr(rhs, at, s.span, out);
        }
        StmtKind::Call(c) => c.arguments.iter().for_each(|a| of_expr(&a.value, at, s.span, out)),
        _ => {}
    }
}

fn of_expr<'a>(e: &'a Expr, at: (VertexId, usize), span: Span, out: &mut References<'a>) {
    e.for_each_ref(&mut |r| out.push((at, span, r, false)));
}

/// The sets that say something, by their keys.
pub fn sets(program: &Program) -> FxHashMap<u32, &AliasSet> {
    program.alias_sets.iter().filter(|s| s.key != 0 && !s.ranges.is_empty()).map(|s| (s.key, s)).collect()
}

/// Whether two sets have an address in common.
pub fn meet(a: &AliasSet, b: &AliasSet) -> bool {
    a.ranges.iter().any(|p| b.ranges.iter().any(|q| p.from <= q.to && q.from <= p.to))
}

/// What the alias sets say about the variables of a unit.
#[derive(Clone, Debug, Default)]
pub struct Addresses {
    /// Pairs of variables of one type of which some references have an address in common.
    pub pairs: BTreeSet<(SymbolId, SymbolId)>,
    /// Variables whose references all have sets that say something.
    pub placed: BTreeSet<SymbolId>,
}

impl Addresses {
    /// Of a unit; nothing where the file says nothing.
    pub fn of(program: &Program, unit: UnitId) -> Addresses {
        let sets = sets(program);
        if sets.is_empty() {
            return Addresses::default();
        }
        let keys: BTreeSet<(SymbolId, u32)> = references(program, unit).into_iter().map(|(_, _, r, _)| (r.symbol, r.alias)).collect();
        let mut placed: BTreeSet<SymbolId> = keys.iter().map(|(s, _)| *s).collect();
        let mut ranges: Vec<(u64, u64, SymbolId)> = Vec::new();
        for (s, key) in keys {
            match sets.get(&key) {
                Some(set) => ranges.extend(set.ranges.iter().map(|r| (r.from, r.to, s))),
                None => {
                    placed.remove(&s);
                }
            }
        }
        ranges.sort_unstable();
        let mut pairs = BTreeSet::new();
        // Those that reach as far as what comes next.
        let mut open: Vec<(u64, SymbolId)> = Vec::new();
        for (from, to, s) in ranges {
            open.retain(|&(end, _)| end >= from);
            let met = open.iter().filter(|&&(_, o)| o != s && program.symbol(o).ty == program.symbol(s).ty);
            pairs.extend(met.map(|&(_, o)| (o.min(s), o.max(s))));
            open.push((to, s));
        }
        Addresses { pairs, placed }
    }

    /// Whether the file puts two variables into different places, wherever they stand.
    pub fn apart(&self, a: SymbolId, b: SymbolId) -> bool {
        self.placed.contains(&a) && self.placed.contains(&b) && !self.pairs.contains(&(a.min(b), a.max(b)))
    }
}
