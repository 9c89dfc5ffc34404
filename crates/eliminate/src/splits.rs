//! Sequences finer than vertex orders: a vertex is split into two that share its edges on one side and divide those on the other, and both are eliminated
//! at times of their own. To eliminate one of them is to eliminate some edges of the vertex and not others (at their fronts or backs); where the
//! neighbours that were divided are eliminated before, it is to eliminate some of its faces and not others. Annealing works on the graph with splits as
//! on any other.

use super::anneal::{Annealer, Schedule};
use super::bits::Frame;
use super::budget::Budget;
use super::code::Step;
use super::cost::Counting;
use super::graph::{Edge, Graph, Role};
use super::random::Random;
use super::vertices::Order;

/// A graph with splits and an order for it.
#[derive(Clone, Debug)]
pub struct Split {
    graph: Graph,
    /// The number of each vertex in steps.
    names: Vec<u32>,
    /// The splits, as steps.
    splits: Vec<Step>,
    /// The number of the next vertex.
    next: u32,
    order: Vec<u32>,
    /// The multiplications.
    pub cost: u64,
}

impl Split {
    /// No splits yet.
    pub fn new(graph: &Graph, order: &Order) -> Split {
        let n = graph.vertices.len() as u32;
        Split {
            graph: graph.clone(),
            names: (0..n).collect(),
            splits: Vec::new(),
            next: n,
            order: order.vertices.clone(),
            cost: order.cost,
        }
    }

    /// The whole sequence.
    pub fn steps(&self) -> Vec<Step> {
        self.splits.iter().cloned().chain(self.order.iter().map(|&v| Step::Vertex(self.names[v as usize]))).collect()
    }

    /// How many splits there are.
    pub fn count(&self) -> usize {
        self.splits.len()
    }

    /// Splits a vertex: a new one takes over the edges with these neighbours on one side.
    fn split(&self, v: u32, front: bool, taken: &[u32]) -> Split {
        let moved = |u: u32| if u > v { u + 1 } else { u };
        let copy = v + 1;
        let mut edges: Vec<Edge> = Vec::with_capacity(self.graph.edges.len() + 4);
        for e in &self.graph.edges {
            let divided = if front { e.target == v } else { e.source == v };
            let shared = if front { e.source == v } else { e.target == v };
            let other = if front { e.source } else { e.target };
            let edge = |source, target| Edge { source, target, ..e.clone() };
            let (source, target) = (moved(e.source), moved(e.target));
            if shared {
                edges.push(edge(source, target));
                edges.push(if front { edge(copy, target) } else { edge(source, copy) });
            } else if divided && taken.contains(&other) {
                edges.push(if front { edge(source, copy) } else { edge(copy, target) });
            } else {
                edges.push(edge(source, target));
            }
        }
        edges.sort_by_key(|e| (e.target, e.source));
        let mut vertices = self.graph.vertices.clone();
        vertices.insert(copy as usize, vertices[v as usize]);
        let mut names = self.names.clone();
        names.insert(copy as usize, self.next);
        let named: Vec<u32> = taken.iter().map(|&u| self.names[u as usize]).collect();
        let mut splits = self.splits.clone();
        let name = self.names[v as usize];
        splits.push(if front { Step::SplitFront(name, named) } else { Step::SplitBack(name, named) });
        let order = self.order.iter().flat_map(|&u| if u == v { vec![v, copy] } else { vec![moved(u)] }).collect();
        let graph = Graph { vertices, edges, given: Vec::new(), inputs: Vec::new(), outputs: Vec::new() };
        Split { graph, names, splits, next: self.next + 1, order, cost: u64::MAX }
    }

    /// A random split, where there is a vertex for it.
    fn random(&self, random: &mut Random) -> Option<Split> {
        let v = self.order[random.below(self.order.len())];
        let (mut into, mut out) = (Vec::new(), Vec::new());
        for e in &self.graph.edges {
            if e.target == v {
                into.push(e.source);
            }
            if e.source == v {
                out.push(e.target);
            }
        }
        let front = random.below(2) == 0;
        let (divided, shared) = if front { (&mut into, &out) } else { (&mut out, &into) };
        if divided.len() < 2 || (shared.len() < 2 && random.below(4) > 0) {
            return None;
        }
        // Mostly one edge; of two edges it does not matter which.
        let count = if random.below(4) > 0 { 1 } else { 1 + random.below(divided.len() - 1) };
        while divided.len() > count {
            divided.swap_remove(random.below(divided.len()));
        }
        divided.sort_unstable();
        let taken = std::mem::take(divided);
        Some(self.split(v, front, &taken))
    }

    /// Anneals the order.
    fn anneal(&mut self, counting: Counting, seed: u64, schedule: Schedule, enough: u32, budget: &mut Budget) {
        let frame = Frame::new(&self.graph, counting);
        let (order, cost) = match frame.columns.div_ceil(64) {
            0 | 1 => run::<1>(&self.graph, &frame, &self.order, seed, schedule, enough, budget),
            2 => run::<2>(&self.graph, &frame, &self.order, seed, schedule, enough, budget),
            3 => run::<3>(&self.graph, &frame, &self.order, seed, schedule, enough, budget),
            4 => run::<4>(&self.graph, &frame, &self.order, seed, schedule, enough, budget),
            5..=8 => run::<8>(&self.graph, &frame, &self.order, seed, schedule, enough, budget),
            _ => return,
        };
        (self.order, self.cost) = (order, u64::from(cost));
    }
}

fn run<const W: usize>(
    graph: &Graph,
    frame: &Frame,
    order: &[u32],
    seed: u64,
    schedule: Schedule,
    enough: u32,
    budget: &mut Budget,
) -> (Vec<u32>, u32) {
    let start = frame.start::<W>(graph);
    let rows: Vec<usize> = order.iter().filter_map(|v| frame.vertices.binary_search(v).ok()).collect();
    let mut annealer = Annealer::new(frame, &start, &rows, seed);
    annealer.run(schedule, enough, budget);
    let (rows, cost) = annealer.best();
    (rows.iter().map(|&r| frame.vertices[r]).collect(), cost)
}

/// Looks for splits that save multiplications until the budget is used up; the best found, which has none where none were found to.
pub fn search(graph: &Graph, counting: Counting, order: &Order, seed: u64, moves: u64, budget: &mut Budget) -> Split {
    let mut best = Split::new(graph, order);
    let mut random = Random::new(seed);
    if !graph.vertices.iter().any(|v| v.role == Role::Intermediate) {
        return best;
    }
    let mut current = best.clone();
    let mut failures = 0;
    while !budget.is_over() && best.cost > 0 {
        // Steps by no clock: every attempt costs some.
        budget.spend(64);
        let Some(mut tried) = current.random(&mut random) else { continue };
        let schedule = Schedule { hot: [0.5, 0.8, 1.2][random.below(3)], cold: 0.15, moves };
        budget.spend(moves);
        tried.anneal(counting, random.bits(), schedule, best.cost.saturating_sub(1) as u32, &mut Budget::steps(moves));
        if tried.cost < best.cost {
            (best, current, failures) = (tried.clone(), tried, 0);
        } else if tried.cost == best.cost && tried.count() < best.count() + 4 && random.below(4) == 0 {
            // A split that costs nothing may prepare another one that pays.
            current = tried;
        } else {
            failures += 1;
            if failures % 100 == 0 {
                current = best.clone();
            }
        }
    }
    best
}
