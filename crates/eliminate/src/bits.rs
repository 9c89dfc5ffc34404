//! A small graph as rows of bits, for searches that try very many orders: an elimination is a few operations on words.
//!
//! Only intermediate vertices have rows. What happens between inputs and outputs costs nothing and leads to nothing.

use super::cost::{Class, Counting};
use super::graph::{Graph, Role};

/// A set of columns.
pub type Set<const W: usize> = [u64; W];

/// Three sets of neighbours: all, those by an edge that is no unit, those by a variable edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row<const W: usize> {
    /// All neighbours.
    pub all: Set<W>,
    /// Neighbours by an edge that is neither +1 nor -1.
    pub nonunit: Set<W>,
    /// Neighbours by an edge that is not known before the code runs.
    pub variable: Set<W>,
}

impl<const W: usize> Row<W> {
    const EMPTY: Row<W> = Row { all: [0; W], nonunit: [0; W], variable: [0; W] };
}

/// The state of an elimination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bits<const W: usize> {
    /// Edges that come into each intermediate vertex.
    pub into: Vec<Row<W>>,
    /// Edges that go out of each intermediate vertex.
    pub out: Vec<Row<W>>,
}

/// What stays the same during an elimination.
#[derive(Clone, Debug)]
pub struct Frame {
    /// How many intermediate vertices there are: columns 0 to here. Behind them come inputs, then outputs; the two share columns, since they never
    /// occur in the same row.
    pub intermediates: usize,
    /// The vertex of the graph that each row stands for.
    pub vertices: Vec<u32>,
    /// How many columns are needed.
    pub columns: usize,
    counting: Counting,
    /// How many vertices have a row of outgoing edges: the intermediate ones, and the inputs too where all edges are to be counted.
    sources: usize,
}

impl Frame {
    /// Which products count.
    pub fn counting(&self) -> Counting {
        self.counting
    }

    /// Numbers rows and columns.
    pub fn new(graph: &Graph, counting: Counting) -> Frame {
        let vertices: Vec<u32> = (0..graph.vertices.len() as u32).filter(|&v| graph.role(v) == Role::Intermediate).collect();
        let count = |role| graph.vertices.iter().filter(|v| v.role == role).count();
        let columns = vertices.len() + count(Role::Input).max(count(Role::Output));
        Frame { intermediates: vertices.len(), sources: vertices.len(), vertices, columns, counting }
    }

    /// A part of a graph under elimination: these vertices go, everything else around them stays. `None` where more columns are needed than there are.
    pub fn window<const W: usize>(dag: &super::dag::Dag, vertices: &[u32], counting: Counting) -> Option<(Frame, Bits<W>)> {
        let mut vertices = vertices.to_vec();
        vertices.sort_unstable();
        let m = vertices.len();
        let mut bits = Bits { into: vec![Row::EMPTY; m], out: vec![Row::EMPTY; m] };
        let mut columns = m;
        for into in [true, false] {
            let mut around: Vec<u32> = Vec::new();
            let edges = |v: u32| if into { dag.predecessors(v).sorted() } else { dag.successors(v).sorted() };
            for &v in &vertices {
                around.extend(edges(v).iter().map(|e| e.vertex()).filter(|u| vertices.binary_search(u).is_err()));
            }
            around.sort_unstable();
            around.dedup();
            columns = columns.max(m + around.len());
            if columns > W * 64 {
                return None;
            }
            let rows = if into { &mut bits.into } else { &mut bits.out };
            for (&v, row) in vertices.iter().zip(rows) {
                for e in edges(v).iter() {
                    let at = vertices.binary_search(&e.vertex()).or_else(|_| around.binary_search(&e.vertex()).map(|k| m + k)).ok()?;
                    set(row, at, e.class());
                }
            }
        }
        Some((Frame { intermediates: m, vertices, columns, counting, sources: m }, bits))
    }

    /// The same with rows for inputs, so that [`Frame::nonunit`] counts all edges.
    pub fn with_inputs(graph: &Graph, counting: Counting) -> Frame {
        let frame = Frame::new(graph, counting);
        let inputs = graph.vertices.iter().filter(|v| v.role == Role::Input).count();
        Frame { sources: frame.intermediates + inputs, ..frame }
    }

    /// How many edges are left that are neither +1 nor -1, when these vertices are gone.
    pub fn nonunit<const W: usize>(&self, bits: &Bits<W>, gone: &Set<W>) -> u32 {
        bits.out.iter().enumerate().filter(|(v, _)| !has(gone, *v)).map(|(_, row)| count(&row.nonunit)).sum()
    }

    /// The graph before any elimination. `W` words must hold all columns.
    pub fn start<const W: usize>(&self, graph: &Graph) -> Bits<W> {
        let mut column = vec![0; graph.vertices.len()];
        let (mut inputs, mut outputs, mut rows) = (self.intermediates, self.intermediates, 0);
        for (v, at) in graph.vertices.iter().zip(&mut column) {
            let next = match v.role {
                Role::Input => &mut inputs,
                Role::Intermediate => &mut rows,
                Role::Output => &mut outputs,
            };
            *at = *next;
            *next += 1;
        }
        let mut bits = Bits { into: vec![Row::EMPTY; self.intermediates], out: vec![Row::EMPTY; self.sources] };
        for e in &graph.edges {
            let class = self.counting.class(e.class);
            let (i, k) = (column[e.source as usize], column[e.target as usize]);
            if graph.role(e.target) == Role::Intermediate {
                set(&mut bits.into[k], i, class);
            }
            if i < self.sources {
                set(&mut bits.out[i], k, class);
            }
        }
        bits
    }

    /// Eliminates a vertex and returns the multiplications.
    #[inline]
    pub fn eliminate<const W: usize>(&self, bits: &mut Bits<W>, v: usize) -> u32 {
        let (into, out) = (bits.into[v], bits.out[v]);
        let plain = self.counting == Counting::Plain;
        for i in ones(&into.all, self.sources) {
            connect(&mut bits.out[i], &out, has(&into.nonunit, i), has(&into.variable, i), plain, v);
        }
        for k in ones(&out.all, self.intermediates) {
            connect(&mut bits.into[k], &into, has(&out.nonunit, k), has(&out.variable, k), plain, v);
        }
        product(&into, &out)
    }

    /// What eliminating a vertex costs now.
    #[inline]
    pub fn cost<const W: usize>(&self, bits: &Bits<W>, v: usize) -> u32 {
        product(&bits.into[v], &bits.out[v])
    }
}

/// The multiplications when every pair of these edges is multiplied.
#[inline]
pub fn product<const W: usize>(into: &Row<W>, out: &Row<W>) -> u32 {
    let (p1, p2, s1, s2) = (count(&into.nonunit), count(&into.variable), count(&out.nonunit), count(&out.variable));
    p1 * s2 + p2 * s1 - p2 * s2
}

/// Adds the neighbours of another row, seen through an edge of that class, and takes out that vertex itself.
#[inline]
pub fn connect<const W: usize>(row: &mut Row<W>, other: &Row<W>, nonunit: bool, variable: bool, plain: bool, without: usize) {
    for w in 0..W {
        let both = row.all[w] & other.all[w];
        row.nonunit[w] |= if nonunit { other.all[w] } else { other.nonunit[w] } | both;
        row.variable[w] |= if variable { other.all[w] } else { other.variable[w] } | if plain { both } else { 0 };
        row.all[w] |= other.all[w];
    }
    let (word, bit) = (without / 64, !(1u64 << (without % 64)));
    row.all[word] &= bit;
    row.nonunit[word] &= bit;
    row.variable[word] &= bit;
}

fn set<const W: usize>(row: &mut Row<W>, at: usize, class: Class) {
    let (word, bit) = (at / 64, 1u64 << (at % 64));
    row.all[word] |= bit;
    row.nonunit[word] |= if class > Class::Unit { bit } else { 0 };
    row.variable[word] |= if class == Class::Variable { bit } else { 0 };
}

/// Whether a set has a member.
#[inline]
pub fn has<const W: usize>(set: &Set<W>, at: usize) -> bool {
    set[at / 64] >> (at % 64) & 1 == 1
}

/// How many members a set has.
#[inline]
pub fn count<const W: usize>(set: &Set<W>) -> u32 {
    set.iter().map(|w| w.count_ones()).sum()
}

/// The members below a bound, in order.
#[inline]
pub fn ones<const W: usize>(set: &Set<W>, below: usize) -> impl Iterator<Item = usize> + use<W> {
    let set = *set;
    (0..W.min(below.div_ceil(64))).flat_map(move |w| {
        let left = below - w * 64;
        let mut word = if left >= 64 { set[w] } else { set[w] & ((1 << left) - 1) };
        std::iter::from_fn(move || {
            (word != 0).then(|| {
                let bit = word.trailing_zeros() as usize;
                word &= word - 1;
                w * 64 + bit
            })
        })
    })
}
