//! Search on graphs of any size: windows that slide over an order.
//!
//! The graph after a window does not depend on the order inside it, so whatever a window gains, the whole gains.

use super::anneal::{Annealer, Schedule};
use super::bits::Frame;
use super::budget::Budget;
use super::cost::{Counting, Objective};
use super::dag::Dag;
use super::graph::Graph;
use super::search::{Incumbent, Purse, Request};
use super::small::SMALL;

/// Vertices in a window.
const WINDOW: usize = 48;

/// Moves that all windows together try where no clock decides, and the fewest that make a window worth while.
const MOVES: u64 = 1_500_000;
const LEAST_MOVES: u64 = 300;

/// Products of an order that is walked through without a clock, and products of a walk in about a second.
const MOST_WALKED: u64 = 20_000_000;

/// Improves the order of a graph that is too large for a search as a whole.
pub fn improve(graph: &Graph, request: &Request, purse: &Purse, best: &mut Incumbent) {
    let counting = request.objective.counting();
    let m = best.order.vertices.len();
    if best.lower_bound >= best.order.cost || m < SMALL || matches!(request.objective, Objective::Propagate(_)) {
        return;
    }
    let windows = (2 * m / WINDOW) as u64 + 1;
    if !purse.is_timed() && (best.order.cost > MOST_WALKED || MOVES / windows < LEAST_MOVES) {
        return;
    }
    for pass in 0.. {
        let before = best.order.cost;
        slide(graph, counting, request.seed + pass, windows, purse, best);
        if purse.is_empty() || !purse.is_timed() || (before == best.order.cost && pass > 4) {
            return;
        }
    }
}

/// Passes over the order once.
fn slide(graph: &Graph, counting: Counting, seed: u64, windows: u64, purse: &Purse, best: &mut Incumbent) {
    let mut dag = Dag::new(graph, counting);
    let m = best.order.vertices.len();
    // Passes start at different places, so that windows meet differently.
    let mut at = 0;
    let mut step = WINDOW / 4 + (seed as usize * 7) % (WINDOW / 2);
    let mut left = windows;
    while at < m {
        // A pass takes a third of the time that is left, so that there is a second one.
        let mut budget = purse.part(0.3 / left.max(1) as f64, MOVES / windows);
        left = left.saturating_sub(1);
        if budget.is_over() {
            return;
        }
        let window = at..(at + WINDOW).min(m);
        let part = &mut best.order.vertices[window];
        let gained = anneal::<2>(&dag, counting, part, seed ^ at as u64, &mut budget)
            .or_else(|| anneal::<4>(&dag, counting, part, seed ^ at as u64, &mut budget))
            .or_else(|| anneal::<8>(&dag, counting, part, seed ^ at as u64, &mut budget))
            .unwrap_or(0);
        if gained > 0 {
            best.order.cost -= gained;
            if !best.method.ends_with("windows") {
                best.method.push_str(", annealed in windows");
            }
        }
        let next = (at + step).min(m);
        step = WINDOW / 2;
        for &v in &best.order.vertices[at..next] {
            dag.eliminate(v);
        }
        at = next;
    }
}

/// Anneals a window; what that gains. `None` where there are too many columns.
fn anneal<const W: usize>(dag: &Dag, counting: Counting, part: &mut [u32], seed: u64, budget: &mut Budget) -> Option<u64> {
    let (frame, start) = Frame::window::<W>(dag, part, counting)?;
    let rows: Vec<usize> = part.iter().filter_map(|v| frame.vertices.binary_search(v).ok()).collect();
    let mut annealer = Annealer::<W>::new(&frame, &start, &rows, seed);
    let before = annealer.best().1;
    let moves = if budget.until.is_some() { u64::MAX >> 1 } else { budget.steps };
    annealer.run(Schedule { hot: 2.0, cold: 0.15, moves }, 0, budget);
    let (order, after) = annealer.best();
    if after < before {
        part.iter_mut().zip(order).for_each(|(v, &r)| *v = frame.vertices[r]);
    }
    Some(u64::from(before - after))
}

/// The beginning of an order after which it is best to stop, when that many directions are propagated through what is left.
pub fn best_beginning(graph: &Graph, directions: u64, order: &[u32], purse: &Purse) -> Vec<u32> {
    let mut dag = Dag::new(graph, Counting::Aware);
    let (mut spent, mut best, mut going) = (0u64, directions.saturating_mul(dag.nonunit()), 0);
    for (k, &v) in order.iter().enumerate() {
        spent += dag.eliminate(v);
        if spent >= best || (k % 64 == 0 && purse.is_empty()) {
            break;
        }
        let total = spent + directions.saturating_mul(dag.nonunit());
        if total < best {
            (best, going) = (total, k + 1);
        }
    }
    order[..going].to_vec()
}

/// The beginning of an order that is best for that many directions; the rest stays.
pub fn beginning(graph: &Graph, directions: u64, order: &[u32]) -> Vec<u32> {
    let mut dag = Dag::new(graph, Counting::Aware);
    let (mut spent, mut best, mut going) = (0u64, directions.saturating_mul(dag.nonunit()), 0);
    for (k, &v) in order.iter().enumerate() {
        spent += dag.eliminate(v);
        let total = spent + directions.saturating_mul(dag.nonunit());
        if total <= best {
            (best, going) = (total, k + 1);
        }
    }
    order[..going].to_vec()
}
