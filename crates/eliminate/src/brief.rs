//! Eliminations that pay, found quickly: what a booster asks for each of the many small graphs of a program.
//!
//! A vertex is eliminated where that costs fewer multiplications than its edges cost in the directions that are propagated (scarcity: Griewank; Lyons and
//! Utke). Sweeps do so while it pays; then annealing looks further in graphs of moderate size, with as many moves as it is given.
//!
//! Lives here: the choice of a sequence for one graph. Never here: clocks, unless a time is asked for.

use super::adjacency::Entry;
use super::bits::Frame;
use super::budget::Budget;
use super::code::{self, Code, Step};
use super::cost::{Class, Counting, multiplications, product};
use super::dag::Dag;
use super::graph::Graph;
use super::names::{Heuristic, chain_name};
use super::partial::polish;
use super::search::{Incumbent, quick};
use super::{small, vertices};

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Question<'a> {
    /// Heuristics that give the order, instead of a search.
    pub chain: Option<&'a [Heuristic]>,
    /// Directions that are propagated through what is left.
    pub directions: u64,
    /// Eliminate everything even where it does not pay.
    pub complete: bool,
    /// What may be spent.
    pub budget: Budget,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The sequence.
    pub steps: Vec<Step>,
    /// The code that it implies.
    pub code: Code,
    /// Factors other than 1 and -1 in the graph as it was.
    pub before: u64,
    /// The same in what is left.
    pub left: u64,
    /// How it was found.
    pub method: String,
    /// What of the budget is left.
    pub budget: Budget,
}

impl Answer {
    /// Multiplications of the accumulation and of that many directions.
    pub fn cost(&self, directions: u64) -> u64 {
        self.code.multiplications + directions * self.left
    }
}

/// Graphs with more vertices are only swept.
const ANNEALED: usize = 400;
/// Graphs with more vertices are not searched edge by edge.
const POLISHED: usize = 250;
/// Sweeps over all vertices.
const SWEEPS: usize = 6;
/// More products than this for each edge are not spent on a complete elimination.
const GROWTH: u64 = 64;

/// Finds a sequence; `None` where a complete elimination is asked for that is too large.
pub fn brief(graph: &Graph, question: &Question) -> Option<Answer> {
    let counting = Counting::Aware;
    let mut budget = question.budget;
    let start = Dag::new(graph, counting);
    let before = start.nonunit();
    let most = GROWTH * graph.edges.len() as u64 + 1000;
    let (order, mut method) = match question.chain {
        Some(chain) => {
            let order = vertices::order(graph, counting, chain, most, &mut Budget::steps(64 * most))?;
            let kept =
                if question.complete { order.vertices } else { super::large::beginning(graph, question.directions, &order.vertices) };
            (kept, chain_name(chain))
        }
        None => {
            let swept = sweep(start.clone(), question.directions);
            let better = if budget.is_over() { None } else { improved(graph, question.directions, &swept, &mut budget) };
            match better {
                Some(order) => (order, "annealing".to_owned()),
                None => (swept, "sweeps".to_owned()),
            }
        }
    };
    let mut steps: Vec<Step> = order.iter().map(|&v| Step::Vertex(v)).collect();
    if question.chain.is_none() && graph.vertices.len() <= POLISHED && !budget.is_over() {
        let polished = polish(graph, question.directions, &order, &mut budget).0;
        if polished.len() > steps.len() {
            method.push_str(", edges");
        }
        steps = polished;
    }
    if question.complete && question.chain.is_none() && steps.is_empty() {
        let best: Incumbent = quick(graph, counting);
        if best.order.cost > most {
            return None;
        }
        steps = best.order.vertices.iter().map(|&v| Step::Vertex(v)).collect();
        method = best.method;
    }
    let code = code::write(graph, counting, &steps).ok()?;
    let left = code.remaining.iter().filter(|r| r.class > Class::Unit).count() as u64;
    Some(Answer { steps, code, before, left, method, budget })
}

/// How the total changes when a vertex goes.
fn change(dag: &Dag, v: u32, directions: i64, counting: Counting) -> i64 {
    let incoming = dag.predecessors(v).sorted();
    let outgoing = dag.successors(v).sorted();
    let nonunit = |l: &[Entry]| l.iter().filter(|e| e.class() > Class::Unit).count() as i64;
    let mut cost = 0;
    let mut edges = -nonunit(&incoming) - nonunit(&outgoing);
    for k in outgoing.iter() {
        for i in incoming.iter() {
            cost += multiplications(i.class(), k.class()) as i64;
            let made = product(i.class(), k.class());
            edges += match dag.predecessors(k.vertex()).get(i.vertex()) {
                Some(old) => i64::from(counting.sum(old, made) > Class::Unit) - i64::from(old > Class::Unit),
                None => i64::from(made > Class::Unit),
            };
        }
    }
    cost + directions * edges
}

/// Pairs of edges of a vertex that a sweep still looks at.
const MOST_PAIRS: usize = 64;

/// Eliminates vertices while that does not cost more than it saves.
fn sweep(mut dag: Dag, directions: u64) -> Vec<u32> {
    let directions = i64::try_from(directions).unwrap_or(i64::MAX / 1024).min(i64::MAX / 1024);
    let mut order = Vec::new();
    for _ in 0..SWEEPS {
        let before = order.len();
        for v in (0..dag.len() as u32).rev() {
            if !dag.is_present(v) {
                continue;
            }
            let (p, s) = (dag.predecessors(v).len(), dag.successors(v).len());
            if p * s > MOST_PAIRS {
                continue;
            }
            let change = change(&dag, v, directions, Counting::Aware);
            // A vertex with one edge in and one out only gets in the way of others.
            if change < 0 || (change == 0 && (p == 1 || s == 1)) {
                dag.eliminate(v);
                order.push(v);
            }
        }
        if order.len() == before {
            break;
        }
    }
    order
}

/// A better choice of vertices by annealing; `None` where there is none.
fn improved(graph: &Graph, directions: u64, swept: &[u32], budget: &mut Budget) -> Option<Vec<u32>> {
    if graph.vertices.len() > ANNEALED {
        return None;
    }
    let frame = Frame::with_inputs(graph, Counting::Aware);
    let gone: Vec<bool> = {
        let mut gone = vec![false; graph.vertices.len()];
        swept.iter().for_each(|&v| gone[v as usize] = true);
        gone
    };
    let mut order = swept.to_vec();
    order.extend(frame.vertices.iter().copied().filter(|&v| !gone[v as usize]));
    let dag = |order: &[u32]| {
        let mut d = Dag::new(graph, Counting::Aware);
        let spent: u64 = order.iter().map(|&v| d.eliminate(v)).sum();
        spent + directions * d.nonunit()
    };
    let found = small::anneal_partially(graph, &frame, directions, &order, budget)?;
    (dag(&found) < dag(swept)).then_some(found)
}
