//! Statement labels: the source's own where they are numbers, else new ones.
//!
//! Lives here: numbers. Never here: what jumps to them.

use rustc_hash::{FxHashMap, FxHashSet};
use xaif::model::{Unit, VertexId};

/// Statement labels: the source's own where they are numbers, else new ones.
pub struct Labels {
    by_vertex: FxHashMap<VertexId, u32>,
    taken: FxHashSet<u32>,
    next: u32,
}

impl Labels {
    /// The labels that a unit has.
    pub fn new(unit: &Unit) -> Labels {
        let by_vertex = numeric_labels(unit);
        let taken = by_vertex.values().copied().collect();
        Labels { by_vertex, taken, next: 100 }
    }

    /// A label that no vertex has.
    pub fn fresh(&mut self) -> u32 {
        while self.taken.contains(&self.next) {
            self.next += 10;
        }
        self.taken.insert(self.next);
        self.next
    }

    /// The label of a vertex.
    pub fn of(&mut self, v: VertexId) -> u32 {
        if let Some(&l) = self.by_vertex.get(&v) {
            return l;
        }
        let l = self.fresh();
        self.by_vertex.insert(v, l);
        l
    }
}

/// The names of construct and statement labels that a unit's vertices carry.
pub fn numeric_labels(unit: &Unit) -> FxHashMap<xaif::model::VertexId, u32> {
    let label = |v: xaif::model::VertexId| unit.graph[v].label.parse::<u32>().ok().filter(|l| (1..=99999).contains(l));
    unit.graph.node_indices().filter_map(|v| Some((v, label(v)?))).collect()
}
