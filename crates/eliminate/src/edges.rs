//! Edge elimination sequences by chained heuristics. Every step looks at all targets, so this is for graphs of some thousand edges.
//!
//! A vertex that is an output as well stays: only its outgoing edges are eliminated, at their backs (Naumann, Utke and Lyons, Section 3).

use super::adjacency::Entry;
use super::budget::Budget;
use super::code::Step;
use super::cost::{Class, Counting};
use super::dag::Dag;
use super::graph::{Graph, Role};
use super::names::Heuristic;
use super::sweeps;
use std::cmp::Reverse;

/// An edge and the end at which it is eliminated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Target {
    source: u32,
    target: u32,
    front: bool,
}

impl Target {
    fn pivot(self) -> u32 {
        if self.front { self.target } else { self.source }
    }

    fn other(self) -> u32 {
        if self.front { self.source } else { self.target }
    }

    fn incoming(self, dag: &Dag) -> Vec<Entry> {
        if self.front {
            dag.predecessors(self.target).get(self.source).map(|c| Entry::new(self.source, c)).into_iter().collect()
        } else {
            dag.predecessors(self.source).sorted().into_owned()
        }
    }

    fn outgoing(self, dag: &Dag) -> Vec<Entry> {
        if self.front {
            dag.successors(self.target).sorted().into_owned()
        } else {
            dag.successors(self.source).get(self.target).map(|c| Entry::new(self.target, c)).into_iter().collect()
        }
    }
}

/// The sequence that a chain of heuristics gives, and its multiplications; `None` when the budget is exceeded. Ties that are left go forward.
pub fn sequence(graph: &Graph, counting: Counting, chain: &[Heuristic], budget: &mut Budget) -> Option<(Vec<Step>, u64)> {
    let mut dag = Dag::new(graph, counting);
    let proper = proper_outputs(graph);
    let last = if chain.contains(&Heuristic::RelativeMarkowitz) { Some(sweeps::reachable(graph)) } else { None };
    let (mut steps, mut cost) = (Vec::new(), 0);
    let mut before: Option<(Vec<Entry>, Vec<Entry>)> = None;
    loop {
        let targets = targets(&dag, &proper);
        if targets.is_empty() {
            break;
        }
        let mut left = targets;
        for &h in chain {
            if left.len() == 1 {
                break;
            }
            if !budget.spend(left.len() as u64 * 8) {
                return None;
            }
            let keys: Vec<i64> = left.iter().map(|&t| key(&dag, h, t, before.as_ref(), last.as_ref())).collect();
            let least = keys.iter().min().copied().unwrap_or(0);
            left = left.into_iter().zip(keys).filter(|&(_, k)| k == least).map(|(t, _)| t).collect();
        }
        let chosen = *left.iter().min_by_key(|t| (t.pivot(), Reverse(t.front), t.other()))?;
        before = Some((chosen.incoming(&dag), chosen.outgoing(&dag)));
        cost += if chosen.front {
            steps.push(Step::Front(chosen.source, chosen.target));
            dag.eliminate_front(chosen.source, chosen.target)?
        } else {
            steps.push(Step::Back(chosen.source, chosen.target));
            dag.eliminate_back(chosen.source, chosen.target)?
        };
    }
    // What is left but inputs and outputs are vertices that are read by their own copy only.
    for v in (0..dag.len() as u32).rev().filter(|&v| dag.is_present(v)).collect::<Vec<_>>() {
        cost += dag.eliminate(v);
        steps.push(Step::Vertex(v));
    }
    Some((steps, cost))
}

/// For each vertex that is an output and read by others, the vertex that stands for the output.
pub fn proper_outputs(graph: &Graph) -> Vec<Option<u32>> {
    let mut proper = vec![None; graph.vertices.len()];
    for e in graph.edges.iter().filter(|e| e.parts.is_empty() && e.class == Class::Copy) {
        proper[e.source as usize] = Some(e.target);
    }
    proper
}

fn targets(dag: &Dag, proper: &[Option<u32>]) -> Vec<Target> {
    let mut found = Vec::new();
    for v in 0..dag.len() as u32 {
        for e in dag.predecessors(v).sorted().iter() {
            let u = e.vertex();
            if dag.is_present(v) && proper[v as usize].is_none() {
                found.push(Target { source: u, target: v, front: true });
            }
            if dag.is_present(u) && proper[u as usize] != Some(v) {
                found.push(Target { source: u, target: v, front: false });
            }
        }
    }
    found
}

/// What is minimized.
fn key(dag: &Dag, h: Heuristic, t: Target, before: Option<&(Vec<Entry>, Vec<Entry>)>, last: Option<&(Vec<u64>, Vec<u64>)>) -> i64 {
    let degree = || if t.front { dag.successors(t.target).len() } else { dag.predecessors(t.source).len() } as i64;
    match h {
        Heuristic::Forward => i64::from(t.pivot()) << 32 | i64::from(t.other()),
        Heuristic::Reverse => -(i64::from(t.pivot()) << 32 | i64::from(t.other())),
        Heuristic::Markowitz => degree(),
        Heuristic::RelativeMarkowitz => {
            let at_last = last.map_or(0, |(above, below)| if t.front { below[t.target as usize] } else { above[t.source as usize] });
            degree() - at_last as i64
        }
        Heuristic::FillIn => fresh(dag, &t.incoming(dag), &t.outgoing(dag)),
        Heuristic::Sibling => before.map_or(0, |(incoming, outgoing)| {
            let common = |a: &[Entry], b: &[Entry]| a.iter().filter(|x| b.iter().any(|y| x.vertex() == y.vertex())).count() as i64;
            -(common(&t.incoming(dag), incoming) * common(&t.outgoing(dag), outgoing))
        }),
        Heuristic::Lmmd => degree() + damage(dag, t),
        Heuristic::Momr => damage(dag, t),
        // Paths are as long after a front elimination as after a back elimination of the same pairs: what decides is how many merge.
        Heuristic::Moplr => fresh(dag, &t.incoming(dag), &t.outgoing(dag)) - degree(),
        Heuristic::Distance => {
            let (incoming, outgoing) = (t.incoming(dag), t.outgoing(dag));
            let sum = |list: &[Entry]| list.iter().map(|e| i64::from(e.vertex())).sum::<i64>();
            sum(&outgoing) * incoming.len() as i64 - sum(&incoming) * outgoing.len() as i64
        }
        Heuristic::Pre1 => i64::from(dag.successors(t.pivot()).len() != 1),
    }
}

fn fresh(dag: &Dag, incoming: &[Entry], outgoing: &[Entry]) -> i64 {
    let new = |k: &Entry| incoming.iter().filter(|i| dag.predecessors(k.vertex()).get(i.vertex()).is_none()).count() as i64;
    outgoing.iter().map(new).sum()
}

/// By how much the sum of all Markowitz degrees grows.
fn damage(dag: &Dag, t: Target) -> i64 {
    let (incoming, outgoing) = (t.incoming(dag), t.outgoing(dag));
    let degree = |v: u32| (dag.predecessors(v).len() as i64, dag.successors(v).len() as i64);
    let (p, s) = degree(t.pivot());
    // The pivot loses the edge.
    let mut grows = if t.front { -s } else { -p };
    for i in incoming.iter().filter(|i| dag.role(i.vertex()) == Role::Intermediate) {
        let new = fresh(dag, &[*i], &outgoing);
        grows += degree(i.vertex()).0 * (new - i64::from(t.front));
    }
    for k in outgoing.iter().filter(|k| dag.role(k.vertex()) == Role::Intermediate) {
        let new = fresh(dag, &incoming, &[*k]);
        grows += degree(k.vertex()).1 * (new - i64::from(!t.front));
    }
    grows
}
