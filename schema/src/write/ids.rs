//! Ids for what has none, and unique ones where the model repeats them.
//!
//! Lives here: the tables from handles to the ids of the document. Never here: how ids are written.

use super::xml::Out;
use crate::model::{Dialect, FlowGraph, Program, Stmt, StmtKind, SymbolId, Vertex, VertexKind};
use rustc_hash::FxHashSet;
use smol_str::{SmolStr, format_smolstr};

/// Ids of everything that is named across the document.
pub(super) struct Ids {
    pub scopes: Vec<SmolStr>,
    /// `edge_id` of each scope's edge.
    pub scope_edges: Vec<SmolStr>,
    pub symbols: Vec<SmolStr>,
    /// The attributes of all references, one after the other, and where those to each symbol end: half of a document consists of references.
    references: (String, Vec<usize>),
    pub units: Vec<SmolStr>,
    pub calls: Vec<SmolStr>,
}

/// Ids as they are, save those that are empty, refused or there already: these become the next free numbers.
pub(super) fn distinct<'s>(ids: impl Iterator<Item = &'s SmolStr>, accepted: impl Fn(&str) -> bool) -> Vec<SmolStr> {
    let ids: Vec<&SmolStr> = ids.collect();
    let mut used: FxHashSet<&str> = FxHashSet::default();
    let stays: Vec<bool> = ids.iter().map(|id| !id.is_empty() && used.insert(id.as_str()) && accepted(id)).collect();
    // New numbers are never among the used ones, so they need not be looked for.
    let mut next = 1u64;
    ids.iter()
        .zip(stays)
        .map(|(&id, stays)| {
            if stays {
                return id.clone();
            }
            loop {
                let number = format_smolstr!("{next}");
                next += 1;
                if !used.contains(number.as_str()) {
                    return number;
                }
            }
        })
        .collect()
}

impl Ids {
    /// All ids of a program.
    pub fn new(p: &Program) -> Ids {
        // The schema wants numbers for scopes.
        let number = |id: &str| p.dialect == Dialect::Openad || id.parse::<u32>().is_ok_and(|n| n > 0);
        let mut symbols: Vec<SmolStr> = p.symbols.iter().map(|s| s.id.clone()).collect();
        for scope in &p.scopes {
            let mut given: FxHashSet<SmolStr> = FxHashSet::default();
            for s in &scope.symbols {
                let Some(id) = symbols.get_mut(s.index()) else { continue };
                if id.is_empty() {
                    *id = p.symbols[s.index()].name.clone();
                }
                let stem = id.clone();
                let mut n = 1u32;
                while id.is_empty() || !given.insert(id.clone()) {
                    n += 1;
                    *id = format_smolstr!("{stem}_{n}");
                }
            }
        }
        let scopes = distinct(p.scopes.iter().map(|s| &s.id), number);
        let mut attributes = Out::piece(p.dialect == Dialect::Overbar, Vec::new(), String::new());
        let mut ends = Vec::with_capacity(symbols.len());
        for (id, symbol) in symbols.iter().zip(&p.symbols) {
            attributes.attr("symbol_id", id);
            attributes.attr("scope_id", scopes.get(symbol.scope.index()).map_or("", |id| id));
            ends.push(attributes.length());
        }
        Ids {
            references: (attributes.into_text(), ends),
            scopes,
            scope_edges: distinct(p.scopes.iter().map(|s| &s.edge_id), |_| true),
            symbols,
            units: distinct(p.units.iter().map(|u| &u.id), |_| true),
            calls: distinct(p.calls.iter().map(|c| &c.id), |_| true),
        }
    }
}

impl Ids {
    /// The attributes of a reference to a symbol.
    pub fn reference(&self, symbol: SymbolId) -> &str {
        let (attributes, ends) = &self.references;
        let start = symbol.index().checked_sub(1).map_or(0, |before| ends[before]);
        &attributes[start..ends[symbol.index()]]
    }
}

/// Ids inside one control-flow graph.
pub(super) struct GraphIds {
    pub vertices: Vec<SmolStr>,
    pub edges: Vec<SmolStr>,
}

impl GraphIds {
    pub fn new(graph: &FlowGraph) -> GraphIds {
        GraphIds {
            vertices: distinct(graph.node_weights().map(|v| &v.id), |_| true),
            edges: distinct(graph.edge_weights().map(|e| &e.id), |_| true),
        }
    }
}

/// The statements of a graph in the order in which they are written.
pub(crate) fn statements(graph: &FlowGraph) -> impl Iterator<Item = &Stmt> {
    graph.node_weights().flat_map(statements_of)
}

/// The statements of a vertex in the order in which they are written.
pub(crate) fn statements_of(v: &Vertex) -> impl Iterator<Item = &Stmt> {
    let (block, head): (&[Stmt], [Option<&Stmt>; 2]) = match &v.kind {
        VertexKind::Block { stmts, .. } => (stmts, [None, None]),
        VertexKind::For(f) => (&[], [Some(&f.init), Some(&f.update)]),
        _ => (&[], [None, None]),
    };
    block.iter().chain(head.into_iter().flatten())
}

/// Ids of the statements of a graph, in the order of [`statements`]. A propagator has none of its own, and ids that a stock file repeats are
/// kept.
pub(super) fn statement_ids(graph: &FlowGraph, dialect: Dialect) -> Vec<SmolStr> {
    if dialect == Dialect::Overbar {
        return distinct(statements(graph).map(|s| &s.id), |_| true);
    }
    let given = distinct(statements(graph).map(|s| &s.id), |_| true);
    statements(graph)
        .zip(given)
        .map(|(s, id)| if s.id.is_empty() && !matches!(s.kind, StmtKind::Propagator(_)) { id } else { s.id.clone() })
        .collect()
}
