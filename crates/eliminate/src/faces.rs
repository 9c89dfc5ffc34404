//! Face elimination (Naumann 2004): on the line graph, whose nodes are the edges, a step multiplies one pair of adjacent edges and takes away that pair
//! alone. Vertex and edge eliminations are groups of such steps, so nothing that eliminates can need fewer multiplications than the best sequence of
//! faces.

use super::budget::Budget;
use super::code::{Base, Code, Operation, Remaining, Term, Value, Writer};
use super::cost::{Class, Counting, multiplications, product};
use super::graph::{Graph, Role};
use super::names::Heuristic;
use smallvec::smallvec;
use std::collections::BTreeSet;

/// A node of the line graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Where the edge starts.
    pub source: u32,
    /// Where it ends.
    pub target: u32,
    /// The edges that can come before it.
    pub before: BTreeSet<u32>,
    /// The edges that can come behind it.
    pub behind: BTreeSet<u32>,
    class: Class,
    value: Value,
    present: bool,
}

/// A line graph under elimination. Nodes are numbered like the edges of the graph, new ones behind them.
#[derive(Clone, Debug)]
pub struct LineGraph {
    counting: Counting,
    roles: Vec<Role>,
    nodes: Vec<Node>,
    code: Code,
}

impl LineGraph {
    /// The line graph before any elimination.
    pub fn new(graph: &Graph, counting: Counting) -> LineGraph {
        // The writer knows the factors of edges.
        let factors = Writer::new(graph, counting);
        let mut nodes: Vec<Node> = graph
            .edges
            .iter()
            .map(|e| Node {
                source: e.source,
                target: e.target,
                before: BTreeSet::new(),
                behind: BTreeSet::new(),
                class: counting.class(e.class),
                value: factors.value(e.source, e.target).unwrap_or(Value::one(false)),
                present: true,
            })
            .collect();
        let mut into: Vec<Vec<u32>> = vec![Vec::new(); graph.vertices.len()];
        (0u32..).zip(&graph.edges).for_each(|(k, e)| into[e.target as usize].push(k));
        for (k, e) in (0u32..).zip(&graph.edges) {
            for &b in &into[e.source as usize] {
                nodes[k as usize].before.insert(b);
                nodes[b as usize].behind.insert(k);
            }
        }
        let roles = graph.vertices.iter().map(|v| v.role).collect();
        LineGraph { counting, roles, nodes, code: factors.finish_operations() }
    }

    /// The node.
    pub fn node(&self, k: u32) -> &Node {
        &self.nodes[k as usize]
    }

    /// All pairs of adjacent edges.
    pub fn faces(&self) -> Vec<(u32, u32)> {
        (0u32..).zip(&self.nodes).filter(|(_, n)| n.present).flat_map(|(k, n)| n.behind.iter().map(move |&f| (k, f))).collect()
    }

    /// The multiplications so far.
    pub fn multiplications(&self) -> u64 {
        self.code.multiplications
    }

    /// Eliminates a face; false if it is not there.
    pub fn eliminate(&mut self, e: u32, f: u32) -> bool {
        let Some(first) = self.nodes.get(e as usize).filter(|n| n.present && n.behind.contains(&f)) else { return false };
        let first = first.clone();
        let second = self.nodes[f as usize].clone();
        self.code.multiplications += multiplications(first.class, second.class);
        let class = product(first.class, second.class);
        let term = Term::product(first.value, second.value);
        match self.twin(first.source, second.target, &first.before, &second.behind, None) {
            Some(g) => {
                let node = &self.nodes[g as usize];
                let class = self.counting.sum(node.class, class);
                let value = self.push(smallvec![Term { left: node.value, right: None }, term]);
                (self.nodes[g as usize].class, self.nodes[g as usize].value) = (class, value);
            }
            None => {
                let value = if term.right.is_none() { term.left } else { self.push(smallvec![term]) };
                let g = self.nodes.len() as u32;
                for &b in &first.before {
                    self.nodes[b as usize].behind.insert(g);
                }
                for &b in &second.behind {
                    self.nodes[b as usize].before.insert(g);
                }
                let (source, target) = (first.source, second.target);
                self.nodes.push(Node { source, target, before: first.before, behind: second.behind, class, value, present: true });
            }
        }
        self.nodes[e as usize].behind.remove(&f);
        self.nodes[f as usize].before.remove(&e);
        for k in [e, f] {
            self.tidy(k);
        }
        true
    }

    fn push(&mut self, terms: smallvec::SmallVec<[Term; 2]>) -> Value {
        self.code.operations.push(Operation { terms });
        Value { base: Base::Result(self.code.operations.len() as u32 - 1), negative: false }
    }

    /// Another node with the same ends and the same neighbours.
    fn twin(&self, source: u32, target: u32, before: &BTreeSet<u32>, behind: &BTreeSet<u32>, not: Option<u32>) -> Option<u32> {
        let same = |&k: &u32| {
            let n = &self.nodes[k as usize];
            n.present && Some(k) != not && n.source == source && n.target == target && n.before == *before && n.behind == *behind
        };
        match (before.first(), behind.first()) {
            (Some(&b), _) => self.nodes[b as usize].behind.iter().copied().find(same),
            (None, Some(&b)) => self.nodes[b as usize].before.iter().copied().find(same),
            (None, None) => (0..self.nodes.len() as u32).find(same),
        }
    }

    /// Drops a node that lies on no path any more, or adds it to another with the same neighbours.
    fn tidy(&mut self, k: u32) {
        let node = &self.nodes[k as usize];
        let dangling = (node.behind.is_empty() && self.roles[node.target as usize] != Role::Output)
            || (node.before.is_empty() && self.roles[node.source as usize] != Role::Input);
        let twin = self.twin(node.source, node.target, &node.before, &node.behind, Some(k)).filter(|_| !dangling);
        if !dangling && twin.is_none() {
            return;
        }
        let node = self.nodes[k as usize].clone();
        for &b in &node.before {
            self.nodes[b as usize].behind.remove(&k);
        }
        for &b in &node.behind {
            self.nodes[b as usize].before.remove(&k);
        }
        let gone = &mut self.nodes[k as usize];
        (gone.present, gone.before, gone.behind) = (false, BTreeSet::new(), BTreeSet::new());
        if let Some(g) = twin {
            let class = self.counting.sum(self.nodes[g as usize].class, node.class);
            let left = self.nodes[g as usize].value;
            let value = self.push(smallvec![Term { left, right: None }, Term { left: node.value, right: None }]);
            (self.nodes[g as usize].class, self.nodes[g as usize].value) = (class, value);
        }
    }

    /// The code. Edges that are parallel at the end are summed.
    pub fn finish(mut self) -> Code {
        let mut left: Vec<(u32, u32, u32)> =
            (0u32..).zip(&self.nodes).filter(|(_, n)| n.present).map(|(k, n)| (n.target, n.source, k)).collect();
        left.sort_unstable();
        let mut remaining: Vec<Remaining> = Vec::new();
        for (target, source, k) in left {
            let (value, class) = (self.nodes[k as usize].value, self.nodes[k as usize].class);
            match remaining.last().copied().filter(|r| (r.target, r.source) == (target, source)) {
                Some(old) => {
                    let value = self.push(smallvec![Term { left: old.value, right: None }, Term { left: value, right: None }]);
                    let class = self.counting.sum(old.class, class);
                    remaining.pop();
                    remaining.push(Remaining { value, class, ..old });
                }
                None => remaining.push(Remaining { source, target, value, class }),
            }
        }
        self.code.remaining = remaining;
        self.code
    }
}

/// The code of a sequence of faces.
///
/// # Errors
/// The number of the first that is not there.
pub fn write(graph: &Graph, counting: Counting, faces: &[(u32, u32)]) -> Result<Code, usize> {
    let mut line = LineGraph::new(graph, counting);
    match faces.iter().position(|&(e, f)| !line.eliminate(e, f)) {
        Some(k) => Err(k),
        None => Ok(line.finish()),
    }
}

/// The sequence that a chain of heuristics gives, and its multiplications; `None` when the budget is exceeded. Ties that are left go forward.
pub fn sequence(graph: &Graph, counting: Counting, chain: &[Heuristic], budget: &mut Budget) -> Option<(Vec<(u32, u32)>, u64)> {
    let mut line = LineGraph::new(graph, counting);
    let mut steps: Vec<(u32, u32)> = Vec::new();
    loop {
        let mut left = line.faces();
        if left.is_empty() {
            return Some((steps, line.multiplications()));
        }
        let mut degrees = vec![0i64; graph.vertices.len()];
        left.iter().for_each(|&(e, _)| degrees[line.node(e).target as usize] += 1);
        let before = steps.last().map(|&(e, f)| (line.node(e).source, line.node(f).target));
        for &h in chain {
            if left.len() == 1 {
                break;
            }
            if !budget.spend(left.len() as u64 * 4) {
                return None;
            }
            let keys: Vec<i64> = left.iter().map(|&face| key(&line, h, face, before, &degrees)).collect();
            let least = keys.iter().min().copied().unwrap_or(0);
            left = left.into_iter().zip(keys).filter(|&(_, k)| k == least).map(|(t, _)| t).collect();
        }
        let chosen = *left.iter().min_by_key(|&&(e, f)| (line.node(e).target, line.node(e).source, line.node(f).target, e, f))?;
        line.eliminate(chosen.0, chosen.1);
        steps.push(chosen);
    }
}

/// What is minimized.
fn key(line: &LineGraph, h: Heuristic, (e, f): (u32, u32), before: Option<(u32, u32)>, degrees: &[i64]) -> i64 {
    let (first, second) = (line.node(e), line.node(f));
    let pivot = first.target;
    let absorbed = || line.twin(first.source, second.target, &first.before, &second.behind, None).is_some();
    // How many faces come and go: a new node has those of both ends.
    let growth = || {
        let fresh = if absorbed() { 0 } else { (first.before.len() + second.behind.len()) as i64 };
        let last = |gone: bool, node: &Node| if gone { (node.before.len() + node.behind.len()) as i64 - 1 } else { 0 };
        fresh - 1 - last(first.behind.len() == 1, first) - last(second.before.len() == 1, second)
    };
    match h {
        Heuristic::Forward => i64::from(pivot),
        Heuristic::Reverse => -(i64::from(pivot) << 32 | i64::from(second.target)),
        Heuristic::Markowitz => degrees[pivot as usize],
        Heuristic::RelativeMarkowitz => degrees[pivot as usize] - (first.before.len().max(1) * second.behind.len().max(1)) as i64,
        Heuristic::FillIn => i64::from(!absorbed()),
        Heuristic::Sibling => -before.map_or(0, |(i, k)| i64::from(first.source == i) + i64::from(second.target == k)),
        Heuristic::Lmmd => degrees[pivot as usize] + growth(),
        Heuristic::Momr => growth(),
        Heuristic::Moplr => -i64::from(absorbed()),
        Heuristic::Distance => i64::from(second.target) - i64::from(first.source),
        Heuristic::Pre1 => i64::from(first.behind.len() != 1),
    }
}
