//! Addresses that a stock file gives: which variables of a unit its alias sets put into the same place.
//!
//! Whoever wrote the file may know what its text does not say (EQUIVALENCE, pointers). What meets there may overlap here, for variables of one type.
//!
//! Source: the XAIF schema, AliasSetList: references have keys of sets of ranges of virtual addresses; two may be the same place where their sets have an
//! address in common.
//!
//! Lives here: references with their keys, and pairs. Never here: overlaps that calls bring about.

use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
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

/// Whether two sets have an address in common.
fn meet(a: &AliasSet, b: &AliasSet) -> bool {
    a.ranges.iter().any(|p| b.ranges.iter().any(|q| p.from <= q.to && q.from <= p.to))
}

/// The sets of a program that say something, by their keys.
pub type Sets<'a> = FxHashMap<u32, &'a AliasSet>;

/// See [`Sets`].
pub fn sets(program: &Program) -> Sets<'_> {
    program.alias_sets.iter().filter(|s| s.key != 0 && !s.ranges.is_empty()).map(|s| (s.key, s)).collect()
}

/// What the alias sets say about the variables of a unit.
#[derive(Clone, Debug, Default)]
pub struct Addresses {
    /// Pairs of variables of one type of which some references have an address in common.
    pub pairs: BTreeSet<(SymbolId, SymbolId)>,
    /// Variables whose references all have sets that say something, and can be believed.
    pub placed: BTreeSet<SymbolId>,
    /// Scalars of which two references have no address in common, which cannot be, and where the second one stands.
    pub torn: Vec<(SymbolId, Span)>,
}

impl Addresses {
    /// Of a unit; nothing where the file says nothing.
    pub fn of(program: &Program, sets: &Sets, unit: UnitId) -> Addresses {
        let mut out = Addresses::default();
        if sets.is_empty() {
            return out;
        }
        let mut keys: BTreeMap<SymbolId, BTreeSet<u32>> = BTreeMap::new();
        let mut unplaced: BTreeSet<SymbolId> = BTreeSet::new();
        for (_, span, r, _) in references(program, unit) {
            let Some(set) = sets.get(&r.alias()) else {
                unplaced.insert(r.symbol);
                continue;
            };
            let known = keys.entry(r.symbol).or_default();
            // A scalar is where it is.
            let scalar = program.symbol(r.symbol).rank == 0 && !program.symbol(r.symbol).pointer;
            if scalar && known.iter().any(|k| !meet(sets[k], set)) && out.torn.iter().all(|(s, _)| *s != r.symbol) {
                out.torn.push((r.symbol, span));
                unplaced.insert(r.symbol);
            }
            known.insert(r.alias());
        }
        let mut ranges: Vec<(u64, u64, SymbolId)> = Vec::new();
        for (&s, keys) in &keys {
            ranges.extend(keys.iter().flat_map(|k| &sets[k].ranges).map(|r| (r.from, r.to, s)));
        }
        ranges.sort_unstable();
        // Those that reach as far as what comes next.
        let mut open: Vec<(u64, SymbolId)> = Vec::new();
        for (from, to, s) in ranges {
            open.retain(|&(end, _)| end >= from);
            let met = open.iter().filter(|&&(_, o)| o != s && program.symbol(o).ty == program.symbol(s).ty);
            out.pairs.extend(met.map(|&(_, o)| (o.min(s), o.max(s))));
            open.push((to, s));
        }
        out.placed = keys.into_keys().filter(|s| !unplaced.contains(s)).collect();
        out
    }

    /// Whether the file puts two variables into different places, wherever they stand.
    pub fn apart(&self, a: SymbolId, b: SymbolId) -> bool {
        self.placed.contains(&a) && self.placed.contains(&b) && !self.pairs.contains(&(a.min(b), a.max(b)))
    }
}
