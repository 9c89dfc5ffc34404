//! Sequences of eliminations as JSON, by the ids of a graph's file: what `eliminate --format json` prints as `order`, and what is given to be tried.
//!
//! ```json
//! [4, {"front":[1,5]}, {"back":[5,7]}, {"face":[0,3]}, {"split":6,"predecessors":[2],"new":9}, {"reroute":[1,8],"over":6}]
//! ```
//!
//! Lives here: the way between ids and vertices. Never here: what steps do ([`super::code`]).

use super::code::Step;
use super::json::Named;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::hash_map::Entry as Place;
use xaif::Diagnostic;
use xaif::diagnostic::Location;

/// A step by the ids of the file; faces by the numbers of its edges. A vertex that a split adds has the next number behind all ids.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum Entry {
    /// A vertex is eliminated.
    Vertex(u64),
    /// A pair of adjacent edges.
    Face {
        /// Their numbers.
        face: [u32; 2],
    },
    /// An edge, at its front.
    Front {
        /// From where to where it goes.
        front: [u64; 2],
    },
    /// An edge, at its back.
    Back {
        /// From where to where it goes.
        back: [u64; 2],
    },
    /// A new vertex takes over edges into another.
    SplitFront {
        /// The other.
        split: u64,
        /// Where these edges come from.
        predecessors: Vec<u64>,
        /// The id of the new vertex.
        new: u64,
    },
    /// A new vertex takes over edges out of another.
    SplitBack {
        /// The other.
        split: u64,
        /// Where these edges go.
        successors: Vec<u64>,
        /// The id of the new vertex.
        new: u64,
    },
    /// An edge is led over another one, whose factor is a unit.
    Reroute {
        /// From where to where it goes.
        reroute: [u64; 2],
        /// The vertex over which it is led.
        over: u64,
    },
}

/// A sequence in the ids of the file.
pub fn entries(named: &Named, steps: &[Step]) -> Vec<Entry> {
    let first_new = named.ids.iter().max().map_or(0, |m| m.saturating_add(1));
    let n = named.graph.vertices.len();
    let id = |v: u32| match named.graph.vertices.get(v as usize) {
        Some(vertex) => named.ids[vertex.origin as usize],
        None => first_new.saturating_add(u64::from(v) - n as u64),
    };
    let all = |list: &[u32]| list.iter().map(|&v| id(v)).collect();
    let mut splits = n as u32;
    let mut new = || {
        splits += 1;
        id(splits - 1)
    };
    let entry = |step: &Step| match step {
        Step::Vertex(v) => Entry::Vertex(id(*v)),
        Step::Face(e, f) => Entry::Face { face: [*e, *f] },
        Step::Front(i, j) => Entry::Front { front: [id(*i), id(*j)] },
        Step::Back(j, k) => Entry::Back { back: [id(*j), id(*k)] },
        Step::SplitFront(v, predecessors) => Entry::SplitFront { split: id(*v), predecessors: all(predecessors), new: new() },
        Step::SplitBack(v, successors) => Entry::SplitBack { split: id(*v), successors: all(successors), new: new() },
        Step::Reroute { source, target, pivot } => Entry::Reroute { reroute: [id(*source), id(*target)], over: id(*pivot) },
    };
    steps.iter().map(entry).collect()
}

/// A file with a sequence: a list of entries, or an answer of `eliminate` that has one.
#[derive(Deserialize)]
#[serde(untagged)]
enum Document {
    List(Vec<Entry>),
    Answer { order: Vec<Entry> },
}

/// Reads a sequence for a graph. `file` is the name that diagnostics call it by.
///
/// # Errors
/// No sequence in JSON, or a vertex that the graph does not have.
pub fn read(file: &str, text: &str, named: &Named) -> Result<Vec<Step>, Diagnostic> {
    let place = |line: u32, column: u32| Location { file: file.to_owned(), line, column, end_line: line, end_column: column + 1 };
    let document: Document = serde_json::from_str(text).map_err(|e| {
        Diagnostic::error("OB7016", format!("this is no sequence of eliminations: {e}"))
            .at(Some(place(e.line().max(1) as u32, e.column().max(1) as u32)))
            .help("give a list of vertices and other steps, as `order` in what `eliminate --format json` prints")
    })?;
    let entries = match document {
        Document::List(l) | Document::Answer { order: l } => l,
    };
    Translation::new(named).steps(&entries).map_err(|(k, id)| {
        Diagnostic::error("OB7017", format!("step {} names vertex {id}, which the graph does not have", k + 1))
            .at(Some(place(1, 1)))
            .because("it is not there, or no path from an input to an output goes over it, or an earlier step has not made it yet")
            .help("name vertices by the ids of the graph's file")
    })
}

/// The vertices behind ids.
struct Translation {
    main: FxHashMap<u64, u32>,
    /// Outputs proper of vertices that others read as well.
    proper: FxHashMap<u64, u32>,
    next: u32,
}

impl Translation {
    fn new(named: &Named) -> Translation {
        let mut out = Translation { main: FxHashMap::default(), proper: FxHashMap::default(), next: named.graph.vertices.len() as u32 };
        for (v, vertex) in (0u32..).zip(&named.graph.vertices) {
            let id = named.ids[vertex.origin as usize];
            // The vertex that others read comes first.
            match out.main.entry(id) {
                Place::Occupied(_) => _ = out.proper.insert(id, v),
                Place::Vacant(free) => _ = free.insert(v),
            }
        }
        out
    }

    fn vertex(&self, id: u64) -> Result<u32, u64> {
        self.main.get(&id).copied().ok_or(id)
    }

    /// Where an edge out of `from` goes: a vertex leads to its own output proper under the same id.
    fn target(&self, from: u64, id: u64) -> Result<u32, u64> {
        if from == id { self.proper.get(&id).copied().ok_or(id) } else { self.vertex(id) }
    }

    fn add(&mut self, new: u64) {
        self.main.insert(new, self.next);
        self.next += 1;
    }

    /// The steps; else the number of an entry with the id that is not known.
    fn steps(&mut self, entries: &[Entry]) -> Result<Vec<Step>, (usize, u64)> {
        entries.iter().enumerate().map(|(k, e)| self.step(e).map_err(|id| (k, id))).collect()
    }

    fn step(&mut self, e: &Entry) -> Result<Step, u64> {
        Ok(match e {
            Entry::Vertex(v) => Step::Vertex(self.vertex(*v)?),
            Entry::Face { face: [e, f] } => Step::Face(*e, *f),
            Entry::Front { front: [i, j] } => Step::Front(self.vertex(*i)?, self.vertex(*j)?),
            Entry::Back { back: [j, k] } => Step::Back(self.vertex(*j)?, self.target(*j, *k)?),
            Entry::SplitFront { split, predecessors, new } => {
                let from = predecessors.iter().map(|&i| self.vertex(i)).collect::<Result<_, _>>()?;
                let step = Step::SplitFront(self.vertex(*split)?, from);
                self.add(*new);
                step
            }
            Entry::SplitBack { split, successors, new } => {
                let to = successors.iter().map(|&k| self.target(*split, k)).collect::<Result<_, _>>()?;
                let step = Step::SplitBack(self.vertex(*split)?, to);
                self.add(*new);
                step
            }
            Entry::Reroute { reroute: [i, k], over } => {
                Step::Reroute { source: self.vertex(*i)?, target: self.target(*over, *k)?, pivot: self.vertex(*over)? }
            }
        })
    }
}
