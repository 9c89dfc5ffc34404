//! Vertex elimination orders by chained heuristics, with a heap: what a heuristic looks at decides which keys are renewed after a step.

use super::adjacency::Entry;
use super::budget::Budget;
use super::cost::Counting;
use super::dag::Dag;
use super::graph::{Graph, Role};
use super::names::Heuristic;
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A complete order of vertex eliminations and its multiplications.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// The vertices, the first to go first.
    pub vertices: Vec<u32>,
    /// The multiplications.
    pub cost: u64,
}

type Key = SmallVec<[i64; 4]>;

/// How far from an eliminated vertex keys change.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reach {
    Nowhere,
    Neighbours,
    NeighboursOfNeighbours,
    Everywhere,
}

fn reach(h: Heuristic) -> Reach {
    match h {
        Heuristic::Forward | Heuristic::Reverse | Heuristic::Pre1 | Heuristic::Sibling => Reach::Nowhere,
        Heuristic::Markowitz | Heuristic::RelativeMarkowitz | Heuristic::Distance => Reach::Neighbours,
        Heuristic::FillIn | Heuristic::Lmmd | Heuristic::Momr => Reach::NeighboursOfNeighbours,
        Heuristic::Moplr => Reach::Everywhere,
    }
}

/// The order that a chain of heuristics gives, or `None` when the budget or the highest cost is exceeded. Ties that are left go forward.
pub fn order(graph: &Graph, counting: Counting, chain: &[Heuristic], most: u64, budget: &mut Budget) -> Option<Order> {
    let mut dag = Dag::new(graph, counting);
    let mut order = Order { vertices: Vec::with_capacity(graph.intermediates()), cost: 0 };
    let mut chain = chain;
    if let [Heuristic::Pre1, rest @ ..] = chain {
        pre1(&mut dag, &mut order, budget)?;
        chain = rest;
    }
    continue_order(&mut dag, graph, chain, most, budget, &mut order)?;
    Some(order)
}

/// Eliminates the vertices that have a single successor when their turn comes, in one reverse sweep.
pub fn pre1(dag: &mut Dag, order: &mut Order, budget: &mut Budget) -> Option<()> {
    for v in (0..dag.len() as u32).rev() {
        if dag.is_present(v) && dag.successors(v).len() == 1 {
            if !budget.spend(1 + dag.predecessors(v).len() as u64) {
                return None;
            }
            order.cost += dag.eliminate(v);
            order.vertices.push(v);
        }
    }
    Some(())
}

/// Eliminates what is left, as the chain says.
pub fn continue_order(dag: &mut Dag, graph: &Graph, chain: &[Heuristic], most: u64, budget: &mut Budget, order: &mut Order) -> Option<()> {
    let mut keys = Keys::new(dag, graph, chain);
    let sibling = chain.iter().position(|&h| h == Heuristic::Sibling);
    let farthest = chain.iter().map(|&h| reach(h)).max().unwrap_or(Reach::Nowhere);
    let present: Vec<u32> = (0..dag.len() as u32).filter(|&v| dag.is_present(v)).collect();
    if farthest == Reach::Everywhere {
        keys.paths.measure(dag);
    }
    let mut version = vec![0u32; dag.len()];
    let mut start = Vec::with_capacity(present.len());
    for &v in &present {
        start.push(Reverse((keys.of(dag, v, budget), v, 0)));
    }
    let mut heap = BinaryHeap::from(start);
    let mut stamp = vec![0u32; dag.len()];
    let mut before: Option<(Vec<Entry>, Vec<Entry>)> = None;
    for step in 1..=present.len() as u32 {
        let chosen = match sibling {
            Some(at) => next_with_siblings(dag, &mut heap, &version, at, before.as_ref(), &mut keys, budget),
            None => next(&mut heap, &version),
        };
        let v = chosen?;
        version[v as usize] += 1;
        let incoming = dag.predecessors(v).sorted().into_owned();
        let outgoing = dag.successors(v).sorted().into_owned();
        if !budget.spend(4 + (incoming.len() * outgoing.len() + incoming.len() + outgoing.len()) as u64) {
            return None;
        }
        order.cost += dag.eliminate(v);
        order.vertices.push(v);
        if order.cost > most {
            return None;
        }
        let mut renew = |w: u32, stamp: &mut Vec<u32>, heap: &mut BinaryHeap<_>, keys: &mut Keys, budget: &mut Budget| {
            if stamp[w as usize] != step && dag.is_present(w) {
                stamp[w as usize] = step;
                version[w as usize] += 1;
                heap.push(Reverse((keys.of(dag, w, budget), w, version[w as usize])));
            }
        };
        match farthest {
            Reach::Nowhere => {}
            Reach::Everywhere => {
                keys.paths.measure(dag);
                budget.spend(dag.edges() + dag.len() as u64);
                present.iter().for_each(|&w| renew(w, &mut stamp, &mut heap, &mut keys, budget));
            }
            Reach::Neighbours | Reach::NeighboursOfNeighbours => {
                for x in incoming.iter().chain(&outgoing).map(|e| e.vertex()) {
                    renew(x, &mut stamp, &mut heap, &mut keys, budget);
                    if farthest == Reach::NeighboursOfNeighbours {
                        for w in dag.predecessors(x).sorted().iter().chain(dag.successors(x).sorted().iter()) {
                            renew(w.vertex(), &mut stamp, &mut heap, &mut keys, budget);
                        }
                    }
                    if budget.steps == 0 {
                        return None;
                    }
                }
            }
        }
        if sibling.is_some() {
            before = Some((incoming, outgoing));
        }
    }
    Some(())
}

type Heap = BinaryHeap<Reverse<(Key, u32, u32)>>;

fn next(heap: &mut Heap, version: &[u32]) -> Option<u32> {
    while let Some(Reverse((_, v, made))) = heap.pop() {
        if version[v as usize] == made {
            return Some(v);
        }
    }
    None
}

/// The next vertex where the sibling degree decides in the place `at` of the chain.
fn next_with_siblings(
    dag: &Dag,
    heap: &mut Heap,
    version: &[u32],
    at: usize,
    before: Option<&(Vec<Entry>, Vec<Entry>)>,
    keys: &mut Keys,
    budget: &mut Budget,
) -> Option<u32> {
    let Some((incoming, outgoing)) = before else { return next(heap, version) };
    let degree = |v: u32| common(&dag.predecessors(v).sorted(), incoming) * common(&dag.successors(v).sorted(), outgoing);
    if at == 0 {
        // Only what shares a successor with the target before can be its sibling.
        let mut best: Option<(Reverse<u64>, Key, u32)> = None;
        let mut siblings: Vec<u32> = Vec::new();
        for k in outgoing {
            siblings.extend(dag.predecessors(k.vertex()).sorted().iter().map(|e| e.vertex()).filter(|&w| dag.is_present(w)));
        }
        siblings.sort_unstable();
        siblings.dedup();
        for w in siblings {
            if !budget.spend((dag.predecessors(w).len() + dag.successors(w).len()) as u64) {
                return None;
            }
            let d = degree(w);
            if d > 0 && best.as_ref().is_none_or(|b| Reverse(d) <= b.0) {
                let candidate = (Reverse(d), keys.of(dag, w, budget), w);
                if best.as_ref().is_none_or(|b| candidate < *b) {
                    best = Some(candidate);
                }
            }
        }
        return best.map(|b| b.2).or_else(|| next(heap, version));
    }
    // All that tie in the places before are compared.
    let first = next_entry(heap, version)?;
    let mut tied = vec![first];
    while let Some(Reverse((key, v, made))) = heap.peek() {
        if version[*v as usize] != *made {
            heap.pop();
        } else if key[..at] == tied[0].0[..at] {
            tied.extend(next_entry(heap, version));
        } else {
            break;
        }
    }
    if !budget.spend(tied.len() as u64 * 4) {
        return None;
    }
    let best = (0..tied.len()).min_by_key(|&k| (Reverse(degree(tied[k].1)), &tied[k].0))?;
    let chosen = tied.swap_remove(best).1;
    tied.into_iter().for_each(|entry| heap.push(Reverse(entry)));
    Some(chosen)
}

fn next_entry(heap: &mut Heap, version: &[u32]) -> Option<(Key, u32, u32)> {
    while let Some(Reverse(entry)) = heap.pop() {
        if version[entry.1 as usize] == entry.2 {
            return Some(entry);
        }
    }
    None
}

/// How many neighbours two sorted lists share.
fn common(a: &[Entry], b: &[Entry]) -> u64 {
    let (mut i, mut j, mut count) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        match a[i].vertex().cmp(&b[j].vertex()) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                count += 1;
                i += 1;
                j += 1;
            }
        }
    }
    count
}

/// What the keys of a chain are computed from.
struct Keys<'a> {
    chain: &'a [Heuristic],
    /// For the relative Markowitz degree: the inputs above times the outputs below each vertex.
    last: Vec<i64>,
    paths: Paths,
}

impl<'a> Keys<'a> {
    fn new(dag: &Dag, graph: &Graph, chain: &'a [Heuristic]) -> Keys<'a> {
        let last = if chain.contains(&Heuristic::RelativeMarkowitz) {
            let (above, below) = super::sweeps::reachable(graph);
            above.into_iter().zip(below).map(|(a, b)| (a * b) as i64).collect()
        } else {
            Vec::new()
        };
        Keys { chain, last, paths: Paths { into: vec![(0.0, 0.0); dag.len()], out: vec![(0.0, 0.0); dag.len()] } }
    }

    fn of(&mut self, dag: &Dag, v: u32, budget: &mut Budget) -> Key {
        let (p, s) = (dag.predecessors(v).len() as i64, dag.successors(v).len() as i64);
        let mut key = Key::new();
        for h in self.chain {
            key.push(match h {
                Heuristic::Forward => i64::from(v),
                Heuristic::Reverse => -i64::from(v),
                Heuristic::Markowitz => p * s,
                Heuristic::RelativeMarkowitz => p * s - self.last[v as usize],
                Heuristic::FillIn => {
                    budget.spend((p * s) as u64);
                    dag.fill(v, u64::MAX) as i64
                }
                Heuristic::Lmmd => {
                    budget.spend(2 * (p * s) as u64);
                    p * s + enlargement(dag, v)
                }
                Heuristic::Momr => {
                    budget.spend(2 * (p * s) as u64);
                    enlargement(dag, v) - p * s
                }
                Heuristic::Moplr => {
                    budget.spend((p * s) as u64);
                    descending(self.paths.reduction(dag, v))
                }
                Heuristic::Distance => {
                    let sum = |list: &[Entry]| list.iter().map(|e| i64::from(e.vertex())).sum::<i64>();
                    p * sum(&dag.successors(v).sorted()) - s * sum(&dag.predecessors(v).sorted())
                }
                Heuristic::Sibling | Heuristic::Pre1 => 0,
            });
        }
        key
    }
}

/// By how much the Markowitz degrees of all others grow when a vertex goes.
fn enlargement(dag: &Dag, v: u32) -> i64 {
    let (incoming, outgoing) = (dag.predecessors(v).sorted(), dag.successors(v).sorted());
    let mut grows = 0;
    for i in incoming.iter().filter(|i| dag.role(i.vertex()) != Role::Input) {
        let there = dag.successors(i.vertex());
        let fresh = outgoing.iter().filter(|k| there.get(k.vertex()).is_none()).count() as i64;
        grows += dag.predecessors(i.vertex()).len() as i64 * (fresh - 1);
    }
    for k in outgoing.iter().filter(|k| dag.role(k.vertex()) != Role::Output) {
        let there = dag.predecessors(k.vertex());
        let fresh = incoming.iter().filter(|i| there.get(i.vertex()).is_none()).count() as i64;
        grows += dag.successors(k.vertex()).len() as i64 * (fresh - 1);
    }
    grows
}

/// An integer that is smaller for larger numbers; numbers are not negative.
fn descending(x: f64) -> i64 {
    -(x.to_bits() as i64)
}

/// The number and the total length of the paths from inputs to each vertex and from there to outputs.
struct Paths {
    into: Vec<(f64, f64)>,
    out: Vec<(f64, f64)>,
}

impl Paths {
    fn measure(&mut self, dag: &Dag) {
        let through = |paths: &[(f64, f64)], edges: &[Entry]| {
            edges.iter().map(|e| paths[e.vertex() as usize]).fold((0.0, 0.0), |(n, l), (m, k)| (n + m, l + k + m))
        };
        for v in 0..dag.len() as u32 {
            self.into[v as usize] = match dag.role(v) {
                Role::Input => (1.0, 0.0),
                _ => through(&self.into, &dag.predecessors(v).sorted()),
            };
        }
        for v in (0..dag.len() as u32).rev() {
            self.out[v as usize] = match dag.role(v) {
                Role::Output => (1.0, 0.0),
                _ => through(&self.out, &dag.successors(v).sorted()),
            };
        }
    }

    /// By how much the total length of all paths shrinks when a vertex goes: a path that merges into another is gone, any other is one shorter.
    fn reduction(&self, dag: &Dag, v: u32) -> f64 {
        let incoming = dag.predecessors(v).sorted();
        let mut sum = 0.0;
        for k in dag.successors(v).sorted().iter() {
            let (out, out_length) = self.out[k.vertex() as usize];
            let there = dag.predecessors(k.vertex());
            for i in incoming.iter() {
                let (into, into_length) = self.into[i.vertex() as usize];
                sum += match there.get(i.vertex()) {
                    Some(_) => out * (into + into_length) + into * (out + out_length),
                    None => into * out,
                };
            }
        }
        sum
    }
}
