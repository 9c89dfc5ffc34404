//! Graphs looked at piece by piece on all processors.
//!
//! Lives here: the cutting. Never here: the checks, the order of findings (whoever finds something looks again, in order).

use super::{Checker, Tables};
use crate::model::*;
use crate::spread;
use std::ops::Range;

/// So many statements or vertices make a piece.
const PIECE: usize = 2048;

enum Piece<'p> {
    Flow(&'p Unit, &'p FlowGraph, bool),
    Vertices(&'p FlowGraph, Range<usize>),
    Statements(&'p [Box<Stmt>]),
}

/// True where nothing is to be said of any graph, or of what stands in it.
pub(super) fn are_clean<'p>(p: &'p Program, tables: &Tables) -> bool {
    let mut pieces: Vec<Vec<Piece<'p>>> = Vec::new();
    // Small graphs go together.
    let mut room = 0;
    let mut add = |piece: Piece<'p>, size: usize| {
        match pieces.last_mut().filter(|_| room >= size) {
            Some(last) => last.push(piece),
            None => {
                pieces.push(vec![piece]);
                room = PIECE;
            }
        }
        room = room.saturating_sub(size);
    };
    for unit in &p.units {
        let more = unit.replacements.iter().flat_map(|(_, list)| list).map(|r| (&r.graph, r.structured));
        for (graph, structured) in std::iter::once((&unit.graph, unit.structured)).chain(more) {
            let n = graph.node_count();
            if n == 0 {
                continue;
            }
            add(Piece::Flow(unit, graph, structured), n / 4);
            (0..n).step_by(PIECE).for_each(|at| add(Piece::Vertices(graph, at..n.min(at + PIECE)), n.min(PIECE)));
            for stmts in graph.node_weights().flat_map(|v| v.stmts().chunks(PIECE)) {
                add(Piece::Statements(stmts), stmts.len());
            }
        }
    }
    let clean = |list: Vec<Piece<'p>>| {
        let mut c = Checker::new(p, tables);
        list.iter().all(|piece| c.is_clean(piece))
    };
    spread::over(pieces, clean).into_iter().all(|clean| clean)
}

impl Checker<'_> {
    fn is_clean(&mut self, piece: &Piece) -> bool {
        match piece {
            Piece::Flow(unit, graph, structured) => {
                // Edges that text order follows are vertices' own.
                if graph.node_weights().any(|v| v.follows.is_some_and(|f| f.index() >= graph.node_count())) {
                    return false;
                }
                self.flow(unit, graph, *structured);
            }
            Piece::Vertices(graph, range) => {
                for v in range.clone().filter_map(|i| graph.node_weight(VertexId::new(i))) {
                    self.vertex_handles(graph, v);
                    // What is looked at next relies on handles.
                    if self.found.is_empty() {
                        self.vertex(v);
                    }
                }
            }
            Piece::Statements(list) => {
                for s in *list {
                    self.stmt_handles(s);
                    if self.found.is_empty() {
                        self.statement(s);
                    }
                }
            }
        }
        self.found.is_empty()
    }
}
