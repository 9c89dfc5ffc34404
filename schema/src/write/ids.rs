//! Ids for what has none, and unique ones where the model repeats them.
//!
//! Lives here: the tables from handles to the ids of the document. Never here: how ids are written.

use super::xml::Out;
use crate::model::{Dialect, FlowGraph, Program, Stmt, StmtKind, SymbolId, Vertex, VertexKind};
use rustc_hash::{FxBuildHasher, FxHashSet};
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

/// About how long the attributes of a reference are.
const ATTRIBUTES: usize = 36;

/// Ids that are there.
struct Used<'s> {
    /// Bit by bit which small numbers are.
    numbers: Vec<u64>,
    others: FxHashSet<&'s str>,
}

impl<'s> Used<'s> {
    /// For so many ids: no new number will be greater than twice that.
    fn of(count: usize) -> Used<'s> {
        Used { numbers: vec![0; count / 32 + 1], others: FxHashSet::default() }
    }

    /// Whether the id is new.
    fn insert(&mut self, id: &'s str) -> bool {
        let plain = id.len() < 10 && id.bytes().all(|b| b.is_ascii_digit()) && !id.starts_with('0');
        let number = if plain { id.parse().ok() } else { None };
        match number.and_then(|n: usize| Some((self.numbers.get_mut(n / 64)?, 1 << (n % 64)))) {
            Some((word, bit)) => {
                let new = *word & bit == 0;
                *word |= bit;
                new
            }
            None => self.others.insert(id),
        }
    }

    fn has_number(&self, n: u32) -> bool {
        self.numbers.get(n as usize / 64).is_some_and(|word| word & (1 << (n % 64)) != 0)
    }
}

/// For each id 0 if it stays as it is; those that are empty, refused or there already become the next free numbers.
fn numbered(ids: &[&str], accepted: impl Fn(&str) -> bool) -> Vec<u32> {
    let mut used = Used::of(ids.len());
    let mut numbers: Vec<u32> = ids.iter().map(|id| u32::from(id.is_empty() || !used.insert(id) || !accepted(id))).collect();
    let mut next = 0;
    for n in numbers.iter_mut().filter(|n| **n > 0) {
        next += 1;
        while used.has_number(next) {
            next += 1;
        }
        *n = next;
    }
    numbers
}

/// Ids as they are, save those that are empty, refused or there already: these become the next free numbers.
pub(super) fn distinct<'s>(ids: impl Iterator<Item = &'s str>, accepted: impl Fn(&str) -> bool) -> Vec<SmolStr> {
    let ids: Vec<&str> = ids.collect();
    let numbers = numbered(&ids, accepted);
    ids.into_iter().zip(numbers).map(|(id, n)| if n == 0 { id.into() } else { format_smolstr!("{n}") }).collect()
}

impl Ids {
    /// All ids of a program.
    pub fn new(p: &Program) -> Ids {
        // The schema wants numbers for scopes.
        let number = |id: &str| p.dialect == Dialect::Openad || id.parse::<u32>().is_ok_and(|n| n > 0);
        let mut symbols: Vec<SmolStr> = p.symbols.iter().map(|s| s.id.clone()).collect();
        for scope in &p.scopes {
            let mut given: FxHashSet<SmolStr> = FxHashSet::with_capacity_and_hasher(scope.symbols.len(), FxBuildHasher);
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
        let scopes = distinct(p.scopes.iter().map(|s| s.id.as_str()), number);
        let mut attributes = Out::piece(p.dialect == Dialect::Overbar, Vec::new(), String::with_capacity(ATTRIBUTES * symbols.len()));
        let mut ends = Vec::with_capacity(symbols.len());
        for (id, symbol) in symbols.iter().zip(&p.symbols) {
            attributes.attr("symbol_id", id);
            attributes.attr("scope_id", scopes.get(symbol.scope.index()).map_or("", |id| id));
            ends.push(attributes.length());
        }
        Ids {
            references: (attributes.into_text(), ends),
            scopes,
            scope_edges: distinct(p.scopes.iter().map(|s| s.edge_id.as_str()), |_| true),
            symbols,
            units: distinct(p.units.iter().map(|u| u.id.as_str()), |_| true),
            calls: distinct(p.calls.iter().map(|c| c.id.as_str()), |_| true),
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
            vertices: distinct(graph.node_weights().map(|v| v.id.as_str()), |_| true),
            edges: distinct(graph.edge_weights().map(|e| e.id.as_str()), |_| true),
        }
    }
}

/// The statements of a graph in the order in which they are written.
pub(crate) fn statements(graph: &FlowGraph) -> impl Iterator<Item = &Stmt> {
    graph.node_weights().flat_map(statements_of)
}

/// The statements of a vertex in the order in which they are written.
pub(crate) fn statements_of(v: &Vertex) -> impl Iterator<Item = &Stmt> {
    let (block, head): (&[Box<Stmt>], [Option<&Stmt>; 2]) = match &v.kind {
        VertexKind::Block { stmts, .. } => (stmts, [None, None]),
        VertexKind::For(f) => (&[], [Some(&f.init), Some(&f.update)]),
        _ => (&[], [None, None]),
    };
    block.iter().map(|s| &**s).chain(head.into_iter().flatten())
}

/// Numbers for the statements of a graph that have no id of their own, in the order of [`statements`]; 0 for the others. A propagator has none, and ids that
/// a stock file repeats are kept.
pub(super) fn statement_numbers(graph: &FlowGraph, dialect: Dialect) -> Vec<u32> {
    let ids: Vec<&str> = statements(graph).map(|s| s.id.as_str()).collect();
    let mut numbers = numbered(&ids, |_| true);
    if dialect == Dialect::Openad {
        let keeps = |s: &Stmt| !s.id.is_empty() || matches!(s.kind, StmtKind::Propagator(_));
        numbers.iter_mut().zip(statements(graph)).filter(|(_, s)| keeps(s)).for_each(|(n, _)| *n = 0);
    }
    numbers
}
