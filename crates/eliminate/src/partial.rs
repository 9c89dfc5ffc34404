//! Elimination that may end early. One direction through a graph costs a multiplication for each edge that is no unit, so what counts is the
//! accumulation plus K times the edges left (scarcity: Griewank; Lyons and Utke): annealing over which vertices go, and in what order, then single edges
//! and reroutings as long as they pay.

use super::bits::{Bits, Frame, Set};
use super::budget::Budget;
use super::code::Step;
use super::cost::Counting;
use super::dag::Dag;
use super::graph::{Graph, Role};
use super::random::Random;

/// Anneals which vertices are eliminated, and in what order.
pub struct Partial<'a, const W: usize> {
    frame: &'a Frame,
    directions: u64,
    /// The vertices that go, in order; then the others.
    order: Vec<usize>,
    going: usize,
    /// The graph when so many have gone, as far as that was asked for.
    states: Vec<Bits<W>>,
    /// What that has cost.
    before: Vec<u64>,
    cost: u64,
    random: Random,
    best: (u64, Vec<usize>),
}

impl<'a, const W: usize> Partial<'a, W> {
    /// Starts with as much of an order as is worth while.
    pub fn new(frame: &'a Frame, start: &Bits<W>, order: &[usize], directions: u64, seed: u64) -> Partial<'a, W> {
        let m = order.len();
        let mut partial = Partial {
            frame,
            directions,
            order: order.to_vec(),
            going: 0,
            states: vec![start.clone()],
            before: vec![0; m + 1],
            cost: 0,
            random: Random::new(seed),
            best: (u64::MAX, Vec::new()),
        };
        partial.adopt(order);
        partial
    }

    /// Takes the best beginning of an order.
    pub fn adopt(&mut self, order: &[usize]) {
        self.order.copy_from_slice(order);
        // Which beginning is the best is found on one graph: there are as many as vertices, and each is large.
        let (mut state, mut gone, mut spent) = (self.states[0].clone(), [0; W], 0);
        let left = |state: &Bits<W>, gone: &Set<W>| self.directions * u64::from(self.frame.nonunit(state, gone));
        let (mut going, mut cost) = (0, left(&state, &gone));
        for (at, &v) in order.iter().enumerate() {
            spent += u64::from(self.frame.eliminate(&mut state, v));
            gone[v / 64] |= 1 << (v % 64);
            let total = spent + left(&state, &gone);
            if total < cost {
                (going, cost) = (at + 1, total);
            }
        }
        (self.going, self.cost) = (going, cost);
        self.replay(0, going);
        self.note();
    }

    fn note(&mut self) {
        if self.cost < self.best.0 {
            self.best = (self.cost, self.order[..self.going].to_vec());
        }
    }

    fn replay(&mut self, from: usize, to: usize) {
        for at in from..to {
            match self.states.split_at_mut(at + 1) {
                (done, [next, ..]) => next.clone_from(&done[at]),
                (done, []) => {
                    let next = done[at].clone();
                    self.states.push(next);
                }
            }
            self.before[at + 1] = self.before[at] + u64::from(self.frame.eliminate(&mut self.states[at + 1], self.order[at]));
        }
    }

    fn total(&self, going: usize) -> u64 {
        let mut gone: Set<W> = [0; W];
        self.order[..going].iter().for_each(|&v| gone[v / 64] |= 1 << (v % 64));
        self.before[going] + self.directions * u64::from(self.frame.nonunit(&self.states[going], &gone))
    }

    /// The best so far: its cost, and the vertices that go.
    pub fn best(&self) -> (u64, &[usize]) {
        (self.best.0, &self.best.1)
    }

    /// Anneals.
    pub fn run(&mut self, moves: u64, budget: &mut Budget) {
        let m = self.order.len();
        if m == 0 {
            return;
        }
        let started = std::time::Instant::now();
        let time = budget.until.map(|until| until.saturating_duration_since(started).as_secs_f64().max(1e-9));
        let (hot, cold) = (3.0, 0.15);
        let mut temperature: f64 = hot;
        for step in 0..moves {
            if step % 64 == 0 {
                let mut done = step as f64 / moves as f64;
                if let Some(time) = time {
                    done = done.max(started.elapsed().as_secs_f64() / time);
                }
                if done >= 1.0 || !budget.spend(256) {
                    return;
                }
                temperature = hot * f64::powf(cold / hot, done);
            }
            self.step(temperature);
        }
    }

    fn step(&mut self, temperature: f64) {
        let m = self.order.len();
        let (cost, going) = (self.cost, self.going);
        // A vertex goes to another place; places behind the last that goes mean that it stays.
        let (from, to, next) = match self.random.below(4) {
            0 if going < m => (going + self.random.below(m - going), self.random.below(going + 1), going + 1),
            1 if going > 0 => (self.random.below(going), m - 1, going - 1),
            _ if going > 1 => {
                let from = self.random.below(going);
                let distance = 1 + self.random.below(8);
                let to = if self.random.below(2) == 0 { from.saturating_sub(distance) } else { (from + distance).min(going - 1) };
                (from, to, going)
            }
            _ => return,
        };
        let shift = |order: &mut [usize], from: usize, to: usize| {
            if from < to { order[from..=to].rotate_left(1) } else { order[to..=from].rotate_right(1) }
        };
        shift(&mut self.order, from, to);
        let low = from.min(to);
        let high = if next == going { from.max(to) + 1 } else { next };
        self.renew(low, high, going, next);
        self.going = next;
        self.cost = self.total(next);
        let increase = self.cost as f64 - cost as f64;
        if increase <= 0.0 || self.random.unit() < (-increase / temperature).exp() {
            self.note();
            return;
        }
        shift(&mut self.order, to, from);
        (self.going, self.cost) = (going, cost);
        self.renew(low, if next == going { high } else { going.max(low) }, going, next);
    }

    /// Replays from one place to another; where the same vertices go, the states behind stay as they were, and only what was spent changes.
    fn renew(&mut self, low: usize, high: usize, going: usize, next: usize) {
        let old = self.before[high];
        self.replay(low, high);
        if next == going {
            let new = self.before[high];
            self.before[high + 1..=going].iter_mut().for_each(|b| *b = *b - old + new);
        }
    }
}

/// Adds edge eliminations and reroutings while they pay; returns the steps and the cost of all.
pub fn polish(graph: &Graph, directions: u64, vertices: &[u32], budget: &mut Budget) -> (Vec<Step>, u64) {
    let mut dag = Dag::new(graph, Counting::Aware);
    let mut steps: Vec<Step> = vertices.iter().map(|&v| Step::Vertex(v)).collect();
    let mut spent: u64 = vertices.iter().map(|&v| dag.eliminate(v)).sum();
    loop {
        let now = directions * dag.nonunit();
        let mut best: Option<(u64, Step, Dag, u64)> = None;
        for step in candidates(&dag) {
            if !budget.spend(dag.len() as u64) {
                return (steps, spent + now);
            }
            let mut tried = dag.clone();
            let Some(cost) = apply(&mut tried, &step) else { continue };
            let total = cost + directions * tried.nonunit();
            if total < best.as_ref().map_or(now, |b| b.0) {
                best = Some((total, step, tried, cost));
            }
        }
        let Some((_, step, after, cost)) = best else { return (steps, spent + now) };
        steps.push(step);
        dag = after;
        spent += cost;
    }
}

fn apply(dag: &mut Dag, step: &Step) -> Option<u64> {
    match *step {
        Step::Vertex(v) => Some(dag.eliminate(v)),
        Step::Front(i, j) => dag.eliminate_front(i, j),
        Step::Back(j, k) => dag.eliminate_back(j, k),
        Step::Reroute { source, target, pivot } => dag.reroute(source, target, pivot),
        Step::Face(..) | Step::SplitFront(..) | Step::SplitBack(..) => None,
    }
}

/// All eliminations of one vertex or edge, and all reroutings.
fn candidates(dag: &Dag) -> Vec<Step> {
    let mut steps = Vec::new();
    for v in 0..dag.len() as u32 {
        if dag.is_present(v) {
            steps.push(Step::Vertex(v));
        }
        let incoming = dag.predecessors(v).sorted();
        for e in incoming.iter() {
            if dag.is_present(v) {
                steps.push(Step::Front(e.vertex(), v));
            }
            if dag.is_present(e.vertex()) {
                steps.push(Step::Back(e.vertex(), v));
            }
            for pivot in incoming.iter().filter(|p| p.class() <= super::cost::Class::Unit && p.vertex() > e.vertex()) {
                if dag.role(pivot.vertex()) == Role::Intermediate {
                    steps.push(Step::Reroute { source: e.vertex(), target: v, pivot: pivot.vertex() });
                }
            }
        }
    }
    steps
}
