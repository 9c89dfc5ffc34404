//! The best sequence within a budget: all heuristics first, then exact search and annealing where the graph is small enough for them.

use super::anneal::{Annealer, Schedule};
use super::bits::{Bits, Frame};
use super::budget::Budget;
use super::cost::{Counting, Objective};
use super::dag::Dag;
use super::graph::Graph;
use super::names::{Heuristic, chain_name};
use super::sweeps::{Direction, cost};
use super::vertices::{self, Order};
use std::time::{Duration, Instant};

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Request {
    /// What is minimized.
    pub objective: Objective,
    /// Heuristics that decide alone, without any search.
    pub order: Option<Vec<Heuristic>>,
    /// How long to search; `None` for a search that is bounded by its moves, and so always gives the same.
    pub time: Option<Duration>,
    /// Seed of everything random.
    pub seed: u64,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The objective.
    pub objective: Objective,
    /// Its value for the sequence.
    pub cost: u64,
    /// No vertex order costs less.
    pub lower_bound: u64,
    /// How the sequence was found.
    pub method: String,
    /// The vertices in the order of their elimination.
    pub order: Vec<u32>,
}

impl Outcome {
    /// True where no vertex order is better.
    pub fn optimal(&self) -> bool {
        self.cost <= self.lower_bound
    }
}

/// The best found so far.
struct Incumbent {
    order: Order,
    method: String,
}

impl Incumbent {
    fn offer(&mut self, order: Order, method: impl FnOnce() -> String) {
        if order.cost < self.order.cost {
            self.order = order;
            self.method = method();
        }
    }
}

/// Searches.
pub fn search(graph: &Graph, request: &Request, started: Instant) -> Option<Outcome> {
    let counting = request.objective.counting();
    let until = request.time.map(|t| started + t);
    let budget = |steps: u64| match until {
        Some(until) => Budget::until(until).at_most(steps),
        None => Budget::steps(steps),
    };
    if let Some(chain) = &request.order {
        let order = vertices::order(graph, counting, chain, u64::MAX, &mut Budget::steps(u64::MAX))?;
        return Some(Outcome {
            objective: request.objective,
            cost: order.cost,
            lower_bound: 0,
            method: chain_name(chain),
            order: order.vertices,
        });
    }
    let mut best = quick(graph, counting)?;
    for chain in CHAINS {
        let mut limited = budget(HEURISTIC_STEPS);
        if let Some(order) = vertices::order(graph, counting, chain, best.order.cost, &mut limited) {
            best.offer(order, || chain_name(chain));
        }
    }
    let frame = Frame::new(graph, counting);
    match frame.columns.div_ceil(64) {
        0 => {}
        1 => small::<1>(graph, &frame, request, &mut best, &budget),
        2 => small::<2>(graph, &frame, request, &mut best, &budget),
        3 => small::<3>(graph, &frame, request, &mut best, &budget),
        4 => small::<4>(graph, &frame, request, &mut best, &budget),
        5..=8 => small::<8>(graph, &frame, request, &mut best, &budget),
        _ => {}
    }
    Some(Outcome { objective: request.objective, cost: best.order.cost, lower_bound: 0, method: best.method, order: best.order.vertices })
}

/// Chains worth trying, the cheap ones first.
const CHAINS: [&[Heuristic]; 12] = [
    &[Heuristic::Pre1, Heuristic::Markowitz, Heuristic::Reverse],
    &[Heuristic::Markowitz, Heuristic::Reverse],
    &[Heuristic::Markowitz, Heuristic::Forward],
    &[Heuristic::RelativeMarkowitz, Heuristic::Reverse],
    &[Heuristic::RelativeMarkowitz, Heuristic::Forward],
    &[Heuristic::Markowitz, Heuristic::FillIn, Heuristic::Reverse],
    &[Heuristic::FillIn, Heuristic::Markowitz, Heuristic::Reverse],
    &[Heuristic::Lmmd, Heuristic::Reverse],
    &[Heuristic::Momr, Heuristic::Markowitz, Heuristic::Reverse],
    &[Heuristic::Distance, Heuristic::Markowitz, Heuristic::Reverse],
    &[Heuristic::Sibling, Heuristic::Markowitz, Heuristic::Reverse],
    &[Heuristic::Moplr, Heuristic::Markowitz, Heuristic::Reverse],
];

/// What a heuristic may spend without a clock.
const HEURISTIC_STEPS: u64 = 20_000_000;

/// The best of forward and reverse, alone and after the vertices with a single successor. Costs are computed before anything is done.
fn quick(graph: &Graph, counting: Counting) -> Option<Incumbent> {
    let before = Dag::new(graph, counting);
    let mut after = before.clone();
    let mut first = Order { vertices: Vec::new(), cost: 0 };
    vertices::pre1(&mut after, &mut first, &mut Budget::steps(u64::MAX))?;
    let mut best: Option<Incumbent> = None;
    for (dag, begun, name) in [(&before, None, ""), (&after, Some(&first), "pre1,")] {
        for (direction, word) in [(Direction::Forward, "forward"), (Direction::Reverse, "reverse")] {
            let total = begun.map_or(0, |o| o.cost) + cost(dag, counting, direction);
            if best.as_ref().is_none_or(|b| total < b.order.cost) {
                let mut vertices = begun.map_or(Vec::new(), |o| o.vertices.clone());
                let done = vertices.len();
                vertices.extend((0..dag.len() as u32).filter(|&v| dag.is_present(v)));
                if direction == Direction::Reverse {
                    vertices[done..].reverse();
                }
                best = Some(Incumbent { order: Order { vertices, cost: total }, method: format!("{name}{word}") });
            }
        }
    }
    best
}

fn small<const W: usize>(graph: &Graph, frame: &Frame, request: &Request, best: &mut Incumbent, budget: &dyn Fn(u64) -> Budget) {
    let start: Bits<W> = frame.start(graph);
    let mut row = vec![usize::MAX; graph.vertices.len()];
    frame.vertices.iter().enumerate().for_each(|(r, &v)| row[v as usize] = r);
    let order: Vec<usize> = best.order.vertices.iter().map(|&v| row[v as usize]).collect();
    let mut annealer = Annealer::new(frame, &start, &order, request.seed);
    debug_assert_eq!(u64::from(annealer.best().1), best.order.cost);
    let mut limited = budget(u64::MAX);
    let rounds = 4;
    for k in 0..rounds {
        let mut part = match limited.until {
            Some(until) => {
                let now = Instant::now();
                Budget::until(now + until.saturating_duration_since(now) / (rounds - k))
            }
            None => limited,
        };
        annealer.run(
            Schedule {
                hot: if k == 0 { 3.0 } else { 2.0 },
                cold: 0.15,
                moves: if limited.until.is_some() { u64::MAX >> 1 } else { 20_000 },
            },
            0,
            &mut part,
        );
        annealer.restart(None);
    }
    limited.spend(0);
    let (order, cost) = annealer.best();
    let vertices = order.iter().map(|&r| frame.vertices[r]).collect();
    best.offer(Order { vertices, cost: u64::from(cost) }, || "annealing".to_owned());
}
