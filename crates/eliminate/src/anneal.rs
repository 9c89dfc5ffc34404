//! Simulated annealing over vertex orders of small graphs.
//!
//! After a set of vertices is gone the graph depends on the set alone. So a vertex that moves within the order changes the cost between its two
//! places only, and with the state of the elimination kept at every place a move costs a few word operations for each vertex in between.

use super::bits::{Bits, Frame, Row, Set, ones, product};
use super::bits::{connect, has};
use super::budget::Budget;
use super::cost::Counting;
use super::random::Random;

/// An order under change.
pub struct Annealer<'a, const W: usize> {
    frame: &'a Frame,
    order: Vec<usize>,
    /// The state before each place, and the multiplications until there.
    states: Vec<Bits<W>>,
    before: Vec<u32>,
    trial: Trial<W>,
    random: Random,
    old: Vec<usize>,
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
            trial: Trial::new(start),
            random: Random::new(seed),
            old: Vec::new(),
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
        for at in from..to {
            let (done, rest) = self.states.split_at_mut(at + 1);
            rest[0].clone_from(&done[at]);
            self.before[at + 1] = self.before[at] + self.frame.eliminate(&mut rest[0], self.order[at]);
        }
    }

    /// The same where the states belong to another order of the same vertices: only rows that one of the two orders touches can differ, and behind the last
    /// place nothing does. Those of the new order are noted in the trial.
    fn renew(&mut self, from: usize, to: usize, old: &[usize]) {
        let (mut into, mut out) = (self.trial.into_touched, self.trial.out_touched);
        for (at, &v) in (from..to).zip(old) {
            let (i, o) = (&self.states[at].into[v].all, &self.states[at].out[v].all);
            for w in 0..W {
                out[w] |= i[w];
                into[w] |= o[w];
            }
        }
        // The rows of a vertex that was gone by then were not kept.
        for &v in old {
            into[v / 64] |= 1 << (v % 64);
            out[v / 64] |= 1 << (v % 64);
        }
        let m = self.frame.intermediates;
        for at in from..to {
            let (done, rest) = self.states.split_at_mut(at + 1);
            ones(&into, m).for_each(|r| rest[0].into[r] = done[at].into[r]);
            ones(&out, m).for_each(|r| rest[0].out[r] = done[at].out[r]);
            self.before[at + 1] = self.before[at] + self.frame.eliminate(&mut rest[0], self.order[at]);
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
        self.trial.start();
        let mut cost = 0;
        for at in low..=high {
            cost += self.trial.eliminate(&self.states[low], self.frame, self.order[at]);
            if cost > most {
                self.undo(swap, from, to);
                return;
            }
        }
        let (old, new) = (self.before[high + 1], self.before[low] + cost);
        // The order before, for what its eliminations touched.
        self.old.clear();
        self.old.extend_from_slice(&self.order[low..high + 1]);
        undo(&mut self.old, swap, from - low, to - low);
        let before = std::mem::take(&mut self.old);
        self.renew(low, high, &before);
        self.old = before;
        if old != new {
            self.before[high + 1..].iter_mut().for_each(|c| *c = *c - old + new);
            self.note();
        }
    }

    fn undo(&mut self, swap: bool, from: usize, to: usize) {
        undo(&mut self.order, swap, from, to);
    }
}

/// Takes a move back.
fn undo(order: &mut [usize], swap: bool, from: usize, to: usize) {
    if swap {
        order.swap(from, to);
    } else if from < to {
        order[from..=to].rotate_right(1);
    } else {
        order[to..=from].rotate_left(1);
    }
}

/// An elimination that is tried: rows are copied from the state that it starts from when they are first changed.
struct Trial<const W: usize> {
    rows: Bits<W>,
    into_touched: Set<W>,
    out_touched: Set<W>,
}

impl<const W: usize> Trial<W> {
    fn new(start: &Bits<W>) -> Trial<W> {
        Trial { rows: start.clone(), into_touched: [0; W], out_touched: [0; W] }
    }

    fn start(&mut self) {
        (self.into_touched, self.out_touched) = ([0; W], [0; W]);
    }

    fn eliminate(&mut self, base: &Bits<W>, frame: &Frame, v: usize) -> u32 {
        let m = frame.intermediates;
        let plain = frame.counting() == Counting::Plain;
        let into = if has(&self.into_touched, v) { self.rows.into[v] } else { base.into[v] };
        let out = if has(&self.out_touched, v) { self.rows.out[v] } else { base.out[v] };
        for i in ones(&into.all, m) {
            let row = touch(&mut self.rows.out, &base.out, &mut self.out_touched, i);
            connect(row, &out, has(&into.nonunit, i), has(&into.variable, i), plain, v);
        }
        for k in ones(&out.all, m) {
            let row = touch(&mut self.rows.into, &base.into, &mut self.into_touched, k);
            connect(row, &into, has(&out.nonunit, k), has(&out.variable, k), plain, v);
        }
        product(&into, &out)
    }
}

fn touch<'r, const W: usize>(rows: &'r mut [Row<W>], base: &[Row<W>], touched: &mut Set<W>, at: usize) -> &'r mut Row<W> {
    if !has(touched, at) {
        touched[at / 64] |= 1 << (at % 64);
        rows[at] = base[at];
    }
    &mut rows[at]
}
