//! Search on graphs that fit into a few words of bits.

use super::anneal::{Annealer, Schedule};
use super::bits::{Bits, Frame};
use super::budget::Budget;
use super::code::Step;
use super::cost::{Counting, Objective};
use super::exact::Exact;
use super::graph::Graph;
use super::partial::{Partial, polish};
use super::search::{Incumbent, Outcome, Purse, Request};
use super::splits;
use super::vertices::Order;

/// With this many vertices to eliminate, windows find what annealing as a whole does not.
pub const SMALL: usize = 150;

/// More columns than this are too many for a search as a whole.
pub const MOST_COLUMNS: usize = 512;

/// Improves the best order.
pub fn improve(graph: &Graph, request: &Request, purse: &Purse, best: &mut Incumbent) {
    let frame = Frame::new(graph, request.objective.counting());
    // An objective that needs a search of its own keeps a share for it, and so do windows.
    let propagated = matches!(request.objective, Objective::Propagate(_));
    let share = if propagated || frame.intermediates >= SMALL { 0.5 } else { 1.0 };
    match frame.columns.div_ceil(64) {
        0 | 1 => orders::<1>(graph, &frame, request, purse, share, best),
        2 => orders::<2>(graph, &frame, request, purse, share, best),
        3 => orders::<3>(graph, &frame, request, purse, share, best),
        4 => orders::<4>(graph, &frame, request, purse, share, best),
        5..=8 => orders::<8>(graph, &frame, request, purse, share, best),
        _ => {}
    }
}

/// Rows of an order of vertices.
fn rows(graph: &Graph, frame: &Frame, vertices: &[u32]) -> Vec<usize> {
    let mut row = vec![0; graph.vertices.len()];
    frame.vertices.iter().enumerate().for_each(|(r, &v)| row[v as usize] = r);
    vertices.iter().map(|&v| row[v as usize]).collect()
}

fn order_of(frame: &Frame, rows: &[usize], cost: u32) -> Order {
    Order { vertices: rows.iter().map(|&r| frame.vertices[r]).collect(), cost: u64::from(cost) }
}

/// Moves of the first annealing where a clock decides, how often they are doubled at most, and after which run exact search is tried again.
const SHORTEST_RUN: u64 = 2_000;
const MOST_RUNS: u32 = 40;
const EXACT_RUN: u32 = 4;

/// Moves of the first annealing, and of the others, where no clock decides.
const FIRST_MOVES: u64 = 40_000;
const MOVES: u64 = 100_000;

fn orders<const W: usize>(graph: &Graph, frame: &Frame, request: &Request, purse: &Purse, share: f64, best: &mut Incumbent) {
    let start: Bits<W> = frame.start(graph);
    if frame.intermediates == 0 || best.order.cost > u64::from(u32::MAX) {
        best.lower_bound = if frame.intermediates == 0 { best.order.cost } else { 0 };
        return;
    }
    let exact = |best: &mut Incumbent, mut budget: Budget| {
        // Far above the bound there is nothing to be proven.
        if best.lower_bound > 0 && best.order.cost > best.lower_bound + best.lower_bound / 3 + 4 {
            return false;
        }
        let found = Exact::new(frame, &start, &mut budget).run(best.order.cost as u32);
        best.lower_bound = best.lower_bound.max(u64::from(found.lower_bound));
        if let Some(order) = found.order {
            best.offer(order_of(frame, &order, found.lower_bound), || "exact search".to_owned());
        }
        best.lower_bound >= best.order.cost
    };
    if exact(best, purse.part(0.02 * share, 200_000)) {
        return;
    }
    let mut annealer = Annealer::new(frame, &start, &rows(graph, frame, &best.order.vertices), request.seed);
    let mut anneal = |best: &mut Incumbent, hot: f64, moves: u64, mut budget: Budget| {
        let schedule = Schedule { hot, cold: 0.15, moves };
        annealer.run(schedule, best.lower_bound as u32, &mut budget);
        let (order, cost) = annealer.best();
        best.offer(order_of(frame, order, cost), || "annealing".to_owned());
        annealer.restart(None);
        best.lower_bound >= best.order.cost
    };
    if purse.is_timed() {
        // Each run twice as long as the one before, the last one cut to the time: more time does all that less time does, and more.
        let whole = purse.part(share, 0);
        for run in 0..MOST_RUNS {
            if anneal(best, 3.0, SHORTEST_RUN << run, whole) || whole.is_over() {
                return;
            }
            if run == EXACT_RUN && exact(best, purse.part(0.15 * share, 0)) {
                return;
            }
        }
        return;
    }
    if anneal(best, 3.0, FIRST_MOVES, purse.part(0.2 * share, u64::MAX)) || exact(best, purse.part(0.15 * share, 2_000_000)) {
        return;
    }
    for left in (1..=2).rev() {
        if anneal(best, 3.0, MOVES, purse.part(share / f64::from(left), u64::MAX)) {
            return;
        }
    }
}

/// Looks for a sequence that is better than any vertex order, in the time that is kept for that; `None` where there is none.
pub fn finer(graph: &Graph, request: &Request, budget: &mut Budget, best: &Incumbent) -> Option<(Vec<Step>, u64)> {
    let counting = request.objective.counting();
    if Frame::new(graph, counting).columns >= MOST_COLUMNS {
        return None;
    }
    let found = splits::search(graph, counting, &best.order, request.seed, SPLIT_MOVES, budget);
    (found.cost < best.order.cost).then(|| (found.steps(), found.cost))
}

/// Moves after each split that is tried.
const SPLIT_MOVES: u64 = 3000;

/// Looks for a sequence that ends early, where that is what counts.
pub fn stop_early(graph: &Graph, request: &Request, directions: u64, purse: &Purse, order: &[u32], outcome: &mut Outcome) {
    let frame = Frame::with_inputs(graph, Counting::Aware);
    let vertices = match frame.columns.div_ceil(64) {
        0 | 1 => partial::<1>(graph, &frame, request, directions, purse, order),
        2 => partial::<2>(graph, &frame, request, directions, purse, order),
        3 => partial::<3>(graph, &frame, request, directions, purse, order),
        4 => partial::<4>(graph, &frame, request, directions, purse, order),
        5..=8 => partial::<8>(graph, &frame, request, directions, purse, order),
        _ => super::large::best_beginning(graph, directions, order, purse),
    };
    let few = graph.vertices.len() <= MOST_POLISHED;
    let (steps, cost) = polish(graph, directions, &vertices, &mut if few { purse.all(20_000_000) } else { Budget::steps(0) });
    outcome.method =
        if steps.len() > vertices.len() { "annealing, stopped early, edges".into() } else { "annealing, stopped early".into() };
    outcome.steps = steps;
    outcome.cost = cost;
    outcome.lower_bound = 0;
    debug_assert!(outcome.steps.iter().all(|s| !matches!(s, Step::SplitFront(..) | Step::SplitBack(..))));
}

/// Vertices of a graph of which all edges are tried, one after the other.
const MOST_POLISHED: usize = 2000;

fn partial<const W: usize>(graph: &Graph, frame: &Frame, request: &Request, directions: u64, purse: &Purse, order: &[u32]) -> Vec<u32> {
    let start: Bits<W> = frame.start(graph);
    let mut partial = Partial::new(frame, &start, &rows(graph, frame, order), directions, request.seed);
    let whole = purse.part(0.8, u64::MAX);
    for run in 0..MOST_RUNS {
        let moves = if purse.is_timed() { SHORTEST_RUN << run } else { 20_000 };
        let mut budget = whole;
        partial.run(moves, &mut budget);
        if budget.is_over() || (!purse.is_timed() && run == 2) {
            break;
        }
    }
    partial.best().1.iter().map(|&r| frame.vertices[r]).collect()
}

/// Anneals which vertices go, and in what order, from an order whose best beginning it starts with; `None` for a graph with too many columns.
pub fn anneal_partially(graph: &Graph, frame: &Frame, directions: u64, order: &[u32], budget: &mut Budget) -> Option<Vec<u32>> {
    match frame.columns.div_ceil(64) {
        0 | 1 => anneal_rows::<1>(graph, frame, directions, order, budget),
        2 => anneal_rows::<2>(graph, frame, directions, order, budget),
        3 => anneal_rows::<3>(graph, frame, directions, order, budget),
        4 => anneal_rows::<4>(graph, frame, directions, order, budget),
        5..=8 => anneal_rows::<8>(graph, frame, directions, order, budget),
        _ => None,
    }
}

fn anneal_rows<const W: usize>(graph: &Graph, frame: &Frame, directions: u64, order: &[u32], budget: &mut Budget) -> Option<Vec<u32>> {
    if order.is_empty() {
        return None;
    }
    let start: Bits<W> = frame.start(graph);
    let mut partial = Partial::new(frame, &start, &rows(graph, frame, order), directions, BRIEF_SEED);
    let moves = if budget.until.is_some() { u64::MAX >> 1 } else { budget.steps / BRIEF_COST };
    if moves > 0 {
        partial.run(moves, budget);
    }
    Some(partial.best().1.iter().map(|&r| frame.vertices[r]).collect())
}

/// Steps that a move counts for: a run spends 256 for 64 of them.
const BRIEF_COST: u64 = 8;
const BRIEF_SEED: u64 = 1;
