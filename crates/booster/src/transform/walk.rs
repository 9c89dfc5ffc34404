//! Every symbol that stands in control-flow graphs, by all processors.
//!
//! Never here: expressions' structure, analyses.

use xaif::model::{FlowGraph, Stmt, SymbolId, Vertex, VertexKind};
use xaif::spread;
pub use xaif::walk::{expr_symbols_mut, ref_symbols_mut, refs_mut, stmt_refs_mut, stmt_symbols_mut, symbols_mut};

/// So many statements make a piece of work that is worth handing on.
const PIECE: usize = 4096;

/// Statements and conditions in pieces, for all processors.
#[derive(Default)]
pub struct Pieces<'p> {
    done: Vec<Vec<Part<'p>>>,
    last: Vec<Part<'p>>,
    size: usize,
}

enum Part<'p> {
    Vertex(&'p mut Vertex),
    Stmts(&'p mut [Box<Stmt>]),
}

impl<'p> Pieces<'p> {
    /// Adds what stands in a graph.
    pub fn add(&mut self, graph: &'p mut FlowGraph) {
        for v in graph.node_weights_mut() {
            if matches!(v.kind, VertexKind::For(_) | VertexKind::Pre(_) | VertexKind::Post(_) | VertexKind::Branch(_)) {
                self.put(Part::Vertex(v), 2);
            } else if let VertexKind::Block { stmts, .. } = &mut v.kind {
                for part in stmts.chunks_mut(PIECE) {
                    let size = part.len();
                    self.put(Part::Stmts(part), size);
                }
            }
        }
    }

    fn put(&mut self, part: Part<'p>, size: usize) {
        self.last.push(part);
        self.size += size;
        if self.size >= PIECE {
            self.done.push(std::mem::take(&mut self.last));
            self.size = 0;
        }
    }

    /// Calls `change` for every symbol, in no order.
    pub fn each_symbol(mut self, change: &(impl Fn(&mut SymbolId) + Sync)) {
        self.done.push(self.last);
        spread::over(self.done, |parts| {
            for part in parts {
                match part {
                    Part::Vertex(v) => symbols_mut(v, &mut |s| change(s)),
                    Part::Stmts(list) => list.iter_mut().for_each(|s| stmt_symbols_mut(s, &mut |s| change(s))),
                }
            }
        });
    }
}
