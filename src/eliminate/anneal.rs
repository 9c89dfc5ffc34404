//! Simulated annealing over vertex orders of small graphs.
//!
//! After a set of vertices is gone the graph depends on the set alone. So a vertex that moves within the order changes the cost between its two
//! places only, and with the state of the elimination kept at every place a move costs a few word operations for each vertex in between.

use super::bits::{Bits, Frame};
use super::budget::Budget;
use super::random::Random;

/// An order under change.
pub struct Annealer<'a, const W: usize> {
    frame: &'a Frame,
    order: Vec<usize>,
    /// The state before each place, and the multiplications until there.
    states: Vec<Bits<W>>,
    before: Vec<u32>,
    work: Bits<W>,
    random: Random,
    best: Vec<usize>,
    best_cost: u32,
}

/// How temperatures go down.
#[derive(Clone, Copy, Debug)]
pub struct Schedule {
    /// The first temperature.
    pub hot: f64,
    /// The last temperature.
    pub cold: f64,
    /// The number of moves.
    pub moves: u64,
}

impl<'a, const W: usize> Annealer<'a, W> {
    /// Starts from an order of rows.
    pub fn new(frame: &'a Frame, start: &Bits<W>, order: &[usize], seed: u64) -> Annealer<'a, W> {
        let m = order.len();
        let mut annealer = Annealer {
            frame,
            order: order.to_vec(),
            states: vec![start.clone(); m + 1],
            before: vec![0; m + 1],
            work: start.clone(),
            random: Random::new(seed),
            best: order.to_vec(),
            best_cost: 0,
        };
        annealer.replay(0, m);
        annealer.best_cost = annealer.before[m];
        annealer
    }

    /// The best order so far, and its multiplications.
    pub fn best(&self) -> (&[usize], u32) {
        (&self.best, self.best_cost)
    }

    /// Goes back to the best order, or to another one.
    pub fn restart(&mut self, order: Option<&[usize]>) {
        self.order.copy_from_slice(order.unwrap_or(&self.best));
        self.replay(0, self.order.len());
        self.note();
    }

    /// Replays the order from one place to another and keeps the states.
    fn replay(&mut self, from: usize, to: usize) {
        self.work.clone_from(&self.states[from]);
        for at in from..to {
            let cost = self.frame.eliminate(&mut self.work, self.order[at]);
            self.before[at + 1] = self.before[at] + cost;
            self.states[at + 1].clone_from(&self.work);
        }
    }

    fn note(&mut self) {
        let cost = self.before[self.order.len()];
        if cost < self.best_cost {
            self.best_cost = cost;
            self.best.copy_from_slice(&self.order);
        }
    }

    /// Anneals until the moves or the budget are used up, or the cost is down to `enough`. The temperature follows whichever is used up faster.
    pub fn run(&mut self, schedule: Schedule, enough: u32, budget: &mut Budget) {
        let m = self.order.len();
        if m < 2 {
            return;
        }
        let started = std::time::Instant::now();
        let time = budget.until.map(|until| until.saturating_duration_since(started).as_secs_f64().max(1e-9));
        let mut temperature = schedule.hot;
        for step in 0..schedule.moves {
            if step % 256 == 0 {
                let mut done = step as f64 / schedule.moves as f64;
                if let Some(time) = time {
                    done = done.max(started.elapsed().as_secs_f64() / time);
                }
                if done >= 1.0 || !budget.spend(256) || self.best_cost <= enough {
                    return;
                }
                temperature = schedule.hot * (schedule.cold / schedule.hot).powf(done);
            }
            self.step(temperature);
        }
    }

    /// Tries one move.
    fn step(&mut self, temperature: f64) {
        let m = self.order.len();
        let from = self.random.below(m);
        // Mostly near.
        let far = match self.random.below(8) {
            0 => m,
            1 | 2 => 24,
            _ => 6,
        };
        let distance = 1 + self.random.below(far.min(m - 1));
        let up = self.random.below(2) == 0;
        let to = if up { from + distance } else { from.wrapping_sub(distance) };
        if to >= m {
            return;
        }
        let (low, high) = (from.min(to), from.max(to));
        let swap = self.random.below(4) == 0;
        if swap {
            self.order.swap(low, high);
        } else if from < to {
            self.order[low..=high].rotate_left(1);
        } else {
            self.order[low..=high].rotate_right(1);
        }
        // Accepted with probability exp(-increase / temperature).
        let allowed = (-temperature * self.random.unit().max(1e-12).ln()).floor().min(1e6) as u32;
        let most = self.before[high + 1] - self.before[low] + allowed;
        self.work.clone_from(&self.states[low]);
        let mut cost = 0;
        for at in low..=high {
            cost += self.frame.eliminate(&mut self.work, self.order[at]);
            if cost > most {
                if swap {
                    self.order.swap(low, high);
                } else if from < to {
                    self.order[low..=high].rotate_right(1);
                } else {
                    self.order[low..=high].rotate_left(1);
                }
                return;
            }
        }
        let (old, new) = (self.before[high + 1], self.before[low] + cost);
        self.replay(low, high + 1);
        if old != new {
            self.before[high + 2..].iter_mut().for_each(|c| *c = *c - old + new);
            self.note();
        }
    }
}
