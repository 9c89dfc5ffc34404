//! Linearized computational graphs as elimination wants them: checked, in topological order, without what lies on no path from an input to an
//! output. Never here: files, programs, costs.

use super::cost::Class;
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// An edge as it is given; vertices are numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RawEdge {
    /// The vertex that is read.
    pub source: u32,
    /// The vertex that reads it.
    pub target: u32,
    /// What is known about the partial derivative.
    pub class: Class,
    /// Its value, where that is known.
    pub value: Option<f64>,
}

/// What a vertex is in the elimination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// An independent: it has no predecessors and stays.
    Input,
    /// To be eliminated.
    Intermediate,
    /// A dependent: it has no successors and stays.
    Output,
}

/// A vertex of a [`Graph`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vertex {
    /// What it is.
    pub role: Role,
    /// Its number in what the graph was made from. An output that is read by others, or is an input as well, is two vertices here: the value,
    /// and the output proper, which copies it; both have the same origin.
    pub origin: u32,
}

/// An edge of a [`Graph`].
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// The vertex that is read.
    pub source: u32,
    /// The vertex that reads it.
    pub target: u32,
    /// What is known about its factor.
    pub class: Class,
    /// The given edges whose factors are summed; none for the copy of a value to the output proper, whose factor is one.
    pub parts: SmallVec<[u32; 1]>,
}

/// A checked graph. Its vertices are in topological order; it has only vertices and edges on paths from inputs to outputs, and no parallel edges.
#[derive(Clone, Debug)]
pub struct Graph {
    /// The vertices.
    pub vertices: Vec<Vertex>,
    /// The edges, by target, then source.
    pub edges: Vec<Edge>,
    /// The given edges.
    pub given: Vec<RawEdge>,
    /// The inputs as given: the columns of the Jacobian.
    pub inputs: Vec<u32>,
    /// The outputs as given: the rows of the Jacobian.
    pub outputs: Vec<u32>,
}

/// Why edges and vertices are no graph that can be eliminated. The numbers are indices into what was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    /// An end of this edge is not a vertex.
    #[error("an end of the edge is not a vertex")]
    Dangling(u32),
    /// This edge lies on a cycle.
    #[error("the edge lies on a cycle")]
    Cycle(u32),
    /// This edge ends in an input.
    #[error("the edge ends in an input")]
    InputRead(u32),
    /// The value of this edge is not finite.
    #[error("the factor is not a finite number")]
    NotFinite(u32),
    /// The value of this edge is not what its class says.
    #[error("the factor is not what its kind says")]
    NotUnit(u32),
    /// There are more than can be handled.
    #[error("too large")]
    TooLarge,
}

/// Whether edges have ends that are vertices, none of which is an input that is computed, and factors that are what they say.
fn acceptable(n: u32, given: &[RawEdge], is_input: &[bool]) -> Result<(), GraphError> {
    for (k, e) in (0u32..).zip(given) {
        if e.source >= n || e.target >= n {
            return Err(GraphError::Dangling(k));
        }
        if is_input[e.target as usize] {
            return Err(GraphError::InputRead(k));
        }
        if let Some(value) = e.value {
            if !value.is_finite() {
                return Err(GraphError::NotFinite(k));
            }
            if (e.class == Class::Copy && value != 1.0) || (e.class == Class::Unit && value.abs() != 1.0) {
                return Err(GraphError::NotUnit(k));
            }
        }
    }
    Ok(())
}

impl Graph {
    /// Checks and prepares a graph of `n` vertices. Inputs and outputs must be vertices, each named once.
    pub fn new(n: u32, given: Vec<RawEdge>, inputs: Vec<u32>, outputs: Vec<u32>) -> Result<Graph, GraphError> {
        if u32::try_from(given.len() + outputs.len()).is_err() || n.checked_add(outputs.len() as u32).is_none() {
            return Err(GraphError::TooLarge);
        }
        let size = n as usize;
        let mut is_input = vec![false; size];
        inputs.iter().for_each(|&i| is_input[i as usize] = true);
        let mut is_output = vec![false; size];
        outputs.iter().for_each(|&o| is_output[o as usize] = true);
        acceptable(n, &given, &is_input)?;
        let out = Star::new(size, given.iter().map(|e| e.source));
        let into = Star::new(size, given.iter().map(|e| e.target));
        let order = topological(&given, &out, size)?;

        // A factor that is known to be zero is no path.
        let zero: Vec<bool> = given.iter().map(|e| e.class == Class::Constant && e.value == Some(0.0)).collect();
        let live = |k: &&u32| !zero[**k as usize];
        let mut reached = is_input.clone();
        for &v in &order {
            reached[v as usize] |= into.of(v).iter().filter(live).any(|&k| reached[given[k as usize].source as usize]);
        }
        let mut needed = is_output.clone();
        for &v in order.iter().rev() {
            needed[v as usize] |= out.of(v).iter().filter(live).any(|&k| needed[given[k as usize].target as usize]);
        }
        let active = |v: u32| reached[v as usize] && needed[v as usize];

        let mut graph = Graph { vertices: Vec::new(), edges: Vec::new(), given, inputs, outputs };
        const NONE: u32 = u32::MAX;
        let mut number = vec![NONE; size];
        let mut doubled = Vec::new();
        for &v in order.iter().filter(|&&v| active(v)) {
            number[v as usize] = graph.vertices.len() as u32;
            let read = out.of(v).iter().filter(live).any(|&k| active(graph.given[k as usize].target));
            let role = match (is_input[v as usize], is_output[v as usize]) {
                (true, _) => Role::Input,
                (false, true) if !read => Role::Output,
                (false, _) => Role::Intermediate,
            };
            if is_output[v as usize] && role != Role::Output {
                doubled.push(v);
            }
            graph.vertices.push(Vertex { role, origin: v });
            let first = graph.edges.len();
            for &k in into.of(v).iter().filter(live) {
                let e = &graph.given[k as usize];
                if active(e.source) {
                    let class = if e.class == Class::Constant && e.value.is_some_and(|c| c.abs() == 1.0) { Class::Unit } else { e.class };
                    graph.edges.push(Edge { source: number[e.source as usize], target: number[v as usize], class, parts: [k].into() });
                }
            }
            graph.edges[first..].sort_by_key(|e| e.source);
        }
        graph.join_parallel_edges();
        for v in doubled {
            let target = graph.vertices.len() as u32;
            graph.vertices.push(Vertex { role: Role::Output, origin: v });
            graph.edges.push(Edge { source: number[v as usize], target, class: Class::Copy, parts: SmallVec::new() });
        }
        Ok(graph)
    }

    /// Makes one edge of neighbours in the list that have the same ends.
    fn join_parallel_edges(&mut self) {
        self.edges.dedup_by(|later, kept| {
            let same = later.source == kept.source && later.target == kept.target;
            if same {
                kept.class = kept.class.max(later.class).max(Class::Constant);
                kept.parts.append(&mut later.parts);
            }
            same
        });
    }

    /// How many vertices are to be eliminated.
    pub fn intermediates(&self) -> usize {
        self.vertices.iter().filter(|v| v.role == Role::Intermediate).count()
    }

    /// What the vertex is.
    pub fn role(&self, v: u32) -> Role {
        self.vertices[v as usize].role
    }
}

/// Edges by one of their ends.
struct Star {
    first: Vec<u32>,
    edges: Vec<u32>,
}

impl Star {
    fn new(n: usize, ends: impl Iterator<Item = u32> + Clone) -> Star {
        let mut first = vec![0u32; n + 1];
        ends.clone().for_each(|v| first[v as usize + 1] += 1);
        for v in 0..n {
            first[v + 1] += first[v];
        }
        let mut next = first.clone();
        let mut edges = vec![0; first[n] as usize];
        for (k, v) in (0u32..).zip(ends) {
            edges[next[v as usize] as usize] = k;
            next[v as usize] += 1;
        }
        Star { first, edges }
    }

    fn of(&self, v: u32) -> &[u32] {
        &self.edges[self.first[v as usize] as usize..self.first[v as usize + 1] as usize]
    }
}

/// The vertices in topological order, the lowest number first where there is a choice.
fn topological(given: &[RawEdge], out: &Star, n: usize) -> Result<Vec<u32>, GraphError> {
    let mut waiting = vec![0u32; n];
    given.iter().for_each(|e| waiting[e.target as usize] += 1);
    let mut ready: BinaryHeap<Reverse<u32>> = (0..n as u32).filter(|&v| waiting[v as usize] == 0).map(Reverse).collect();
    let mut order = Vec::with_capacity(n);
    while let Some(Reverse(v)) = ready.pop() {
        order.push(v);
        for &k in out.of(v) {
            let target = given[k as usize].target;
            waiting[target as usize] -= 1;
            if waiting[target as usize] == 0 {
                ready.push(Reverse(target));
            }
        }
    }
    if order.len() == n {
        return Ok(order);
    }
    // What waits lies on a cycle or behind one. Going back from there for as many steps as there are vertices ends on a cycle.
    let into = Star::new(n, given.iter().map(|e| e.target));
    let mut at = waiting.iter().position(|&w| w > 0).unwrap_or_default() as u32;
    let mut last = 0;
    for _ in 0..=n {
        let Some(&k) = into.of(at).iter().find(|&&k| waiting[given[k as usize].source as usize] > 0) else { break };
        last = k;
        at = given[k as usize].source;
    }
    Err(GraphError::Cycle(last))
}
