//! Data-flow equations over a unit's control-flow graph.
//!
//! Vertices are looked at in reverse postorder (forward) or its reverse (backward), and again once what they depend on has changed, the first in that
//! order first: what a loop passes around settles inside of the loop before anything behind it is looked at. Rounds over the whole unit would look at
//! everything once for each loop that has to hand something on.
//!
//! Lives here: orders and the worklist. Never here: what the equations say, and calls between units.

use petgraph::Direction;
use std::collections::BTreeSet;
use xaif::model::{FlowGraph, VertexId};

/// The vertices that control reaches, in reverse postorder; where several may come next, as far as possible in the order in which they were made. A loop's
/// body so stands before what follows the loop.
pub fn reverse_postorder(graph: &FlowGraph, entry: VertexId) -> Vec<VertexId> {
    let next = |v: VertexId| {
        let mut next: Vec<VertexId> = graph.neighbors_directed(v, Direction::Outgoing).collect();
        next.sort_unstable();
        next
    };
    let mut seen = vec![false; graph.node_count()];
    seen[entry.index()] = true;
    let mut path = vec![(entry, next(entry))];
    let mut order = Vec::with_capacity(graph.node_count());
    while let Some((v, rest)) = path.last_mut() {
        match rest.pop() {
            Some(n) if seen[n.index()] => {}
            Some(n) => {
                seen[n.index()] = true;
                path.push((n, next(n)));
            }
            None => {
                order.push(*v);
                path.pop();
            }
        }
    }
    order.reverse();
    order
}

/// Visits vertices until nothing changes: `visit` computes a vertex's state from those of its neighbours against the direction, and says whether it is
/// another one than before. `order` is the reverse postorder.
pub fn solve(graph: &FlowGraph, order: &[VertexId], direction: Direction, mut visit: impl FnMut(VertexId) -> bool) {
    let at = |k: usize| if direction == Direction::Outgoing { order[k] } else { order[order.len() - 1 - k] };
    let mut place = vec![usize::MAX; graph.node_count()];
    (0..order.len()).for_each(|k| place[at(k).index()] = k);
    let mut waiting: BTreeSet<usize> = (0..order.len()).collect();
    while let Some(k) = waiting.pop_first() {
        let v = at(k);
        if visit(v) {
            waiting.extend(graph.neighbors_directed(v, direction).map(|n| place[n.index()]).filter(|&p| p != usize::MAX));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::dataflow::bits::Bits;
    use xaif::Program;

    /// The text's only unit.
    fn graph(text: &str) -> Program {
        let options = overbar_c::parse::ParseOptions::default();
        overbar_c::parse::parse(&[overbar_c::parse::SourceText { file: "f.c", text }], &options).unwrap().0
    }

    #[test]
    fn loops_in_a_row_settle_one_by_one() {
        let row = |loops: usize| {
            let body = "for (int i = 0; i < n; i++) { for (int j = 0; j < n; j++) x[i] += x[j]; }\n".repeat(loops);
            let p = graph(&format!("void f(int n, double *x) {{\n{body}}}\n"));
            let graph = &p.units[0].graph;
            let order = reverse_postorder(graph, p.units[0].entry().unwrap());
            assert_eq!(order.len(), graph.node_count());
            let mut visits = [0, 0];
            for (n, direction) in [Direction::Outgoing, Direction::Incoming].into_iter().enumerate() {
                let mut blocks: Vec<VertexId> = order.iter().copied().filter(|&v| !graph[v].stmts().is_empty()).collect();
                if direction == Direction::Incoming {
                    blocks.reverse();
                }
                // Each block hands on what the one before it has.
                let mut states = vec![Bits::none(blocks.len()); graph.node_count()];
                solve(graph, &order, direction, |v| {
                    visits[n] += 1;
                    let mut state = Bits::none(blocks.len());
                    graph.neighbors_directed(v, direction.opposite()).for_each(|p| _ = state.join(&states[p.index()]));
                    if let Some(k) = blocks.iter().position(|&b| b == v).filter(|&k| k == 0 || state.has(k as u32 - 1)) {
                        state.insert(k as u32);
                    }
                    states[v.index()].join(&state)
                });
                let last = if direction == Direction::Outgoing { order[order.len() - 1] } else { order[0] };
                assert_eq!(states[last.index()].iter().count(), blocks.len());
            }
            visits
        };
        // Rounds over all of them would be 16 times as many.
        let (ten, forty) = (row(10), row(40));
        for k in 0..2 {
            assert!(forty[k] <= 5 * ten[k], "{ten:?} {forty:?}");
        }
    }
}
