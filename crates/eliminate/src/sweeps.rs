//! What forward and reverse elimination cost, without doing them: going forward, the predecessors of a vertex at its turn are the inputs that
//! reach it, and its successors are still the original ones. Sets of inputs are rows of bits.

use super::cost::{Class, Counting};
use super::dag::Dag;
use super::graph::{Graph, Role};

/// How many inputs reach each vertex, and how many outputs it reaches.
pub fn reachable(graph: &Graph) -> (Vec<u64>, Vec<u64>) {
    let dag = Dag::new(graph, Counting::Plain);
    let count = |direction| {
        let mut counts = vec![0; graph.vertices.len()];
        visit(&dag, direction, |v, row| counts[v as usize] += row.any());
        counts
    };
    (count(Direction::Forward), count(Direction::Reverse))
}

/// Multiplications of the rest of an elimination, in topological order or against it.
pub fn cost(dag: &Dag, counting: Counting, direction: Direction) -> u64 {
    let mut cost = 0;
    visit_counting(dag, counting, direction, |v, row| {
        if dag.role(v) == Role::Intermediate {
            let edges = match direction {
                Direction::Forward => dag.successors(v).sorted(),
                Direction::Reverse => dag.predecessors(v).sorted(),
            };
            // As many edges as would meet those, of each class.
            let (nonunit, variable) = row.counts();
            let (n, c) = edges
                .iter()
                .fold((0, 0), |(n, c), e| (n + u64::from(e.class() > Class::Unit), c + u64::from(e.class() == Class::Variable)));
            debug_assert!(nonunit >= variable);
            cost += nonunit * c + variable * n - variable * c;
        }
    });
    cost
}

/// A direction through the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From inputs to outputs.
    Forward,
    /// From outputs to inputs.
    Reverse,
}

/// Three sets of ends: all, those by an edge that is no unit, those by a variable edge.
#[derive(Clone)]
pub struct Row {
    words: Vec<[u64; 3]>,
}

impl Row {
    fn any(&self) -> u64 {
        self.words.iter().map(|w| u64::from(w[0].count_ones())).sum()
    }

    fn counts(&self) -> (u64, u64) {
        self.words.iter().fold((0, 0), |(n, c), w| (n + u64::from(w[1].count_ones()), c + u64::from(w[2].count_ones())))
    }

    /// Adds the ends of another vertex, seen through an edge of that class.
    fn add(&mut self, other: &Row, class: Class, counting: Counting) {
        for (mine, theirs) in self.words.iter_mut().zip(&other.words) {
            let both = mine[0] & theirs[0];
            mine[1] |= if class > Class::Unit { theirs[0] } else { theirs[1] } | both;
            mine[2] |= if class == Class::Variable { theirs[0] } else { theirs[2] } | if counting == Counting::Plain { both } else { 0 };
            mine[0] |= theirs[0];
        }
    }

    fn add_end(&mut self, at: usize, class: Class, counting: Counting) {
        let (word, bit) = (&mut self.words[at / 64], 1u64 << (at % 64));
        let both = word[0] & bit;
        word[1] |= if class > Class::Unit { bit } else { both };
        word[2] |= if class == Class::Variable {
            bit
        } else if counting == Counting::Plain {
            both
        } else {
            0
        };
        word[0] |= bit;
    }
}

fn visit(dag: &Dag, direction: Direction, seen: impl FnMut(u32, &Row)) {
    visit_counting(dag, Counting::Plain, direction, seen);
}

/// Ends whose rows are kept at a time, so that the rows of a large graph fit into memory. All that is counted is additive over ends.
const GROUP: usize = 1024;

/// Visits the vertices in the direction, each with the ends (inputs, or outputs) that it is connected with by paths. A vertex is visited once for
/// each group of ends that it is connected with.
fn visit_counting(dag: &Dag, counting: Counting, direction: Direction, mut seen: impl FnMut(u32, &Row)) {
    let n = dag.len() as u32;
    let end = match direction {
        Direction::Forward => Role::Input,
        Direction::Reverse => Role::Output,
    };
    let edges_of = |v: u32| match direction {
        Direction::Forward => dag.predecessors(v).sorted(),
        Direction::Reverse => dag.successors(v).sorted(),
    };
    const NONE: usize = usize::MAX;
    let mut number = vec![NONE; dag.len()];
    let mut ends = 0;
    for v in (0..n).filter(|&v| dag.role(v) == end) {
        number[v as usize] = ends;
        ends += 1;
    }
    let mut all_readers: Vec<u32> = vec![0; dag.len()];
    for v in 0..n {
        edges_of(v).iter().for_each(|e| all_readers[e.vertex() as usize] += 1);
    }
    let mut spare: Vec<Row> = Vec::new();
    for first in (0..ends).step_by(GROUP) {
        let group = first..(first + GROUP).min(ends);
        let words = group.len().div_ceil(64);
        let mut rows: Vec<Option<Row>> = vec![None; dag.len()];
        let mut readers = all_readers.clone();
        for k in 0..n {
            let v = if direction == Direction::Forward { k } else { n - 1 - k };
            let mut row: Option<Row> = None;
            for e in edges_of(v).iter() {
                let u = e.vertex() as usize;
                let mut fresh = || {
                    let mut row = spare.pop().unwrap_or(Row { words: Vec::new() });
                    row.words.clear();
                    row.words.resize(words, [0; 3]);
                    row
                };
                if group.contains(&number[u]) {
                    row.get_or_insert_with(&mut fresh).add_end(number[u] - first, e.class(), counting);
                }
                if let Some(other) = &rows[u] {
                    row.get_or_insert_with(&mut fresh).add(other, e.class(), counting);
                }
                readers[u] -= 1;
                if readers[u] == 0 {
                    spare.extend(rows[u].take());
                }
            }
            if let Some(row) = row {
                seen(v, &row);
                rows[v as usize] = Some(row);
            }
        }
    }
}
