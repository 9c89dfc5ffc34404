//! How long the steps of making adjoint units take, for people.
//!
//! Lives here: the stopwatch, and the wording. Never here: the steps. Times go to the terminal only: no output depends on a clock.

use std::fmt::Write;
use std::time::{Duration, Instant};

/// The times of the steps of a unit, in their order.
#[derive(Clone, Debug)]
pub struct UnitTimes {
    /// The original's name.
    pub unit: String,
    /// Steps by their names.
    pub steps: Vec<(&'static str, Duration)>,
}

/// Takes times from step to step where somebody asks for them.
#[derive(Debug, Default)]
pub(crate) struct Stopwatch {
    last: Option<Instant>,
    laps: Vec<(&'static str, Duration)>,
}

impl Stopwatch {
    /// One that runs, or one that takes no times.
    pub fn new(runs: bool) -> Stopwatch {
        Stopwatch { last: runs.then(Instant::now), laps: Vec::new() }
    }

    /// Ends a step; the next one begins.
    pub fn lap(&mut self, name: &'static str) {
        if let Some(last) = &mut self.last {
            let now = Instant::now();
            self.laps.push((name, now - *last));
            *last = now;
        }
    }

    /// The steps so far.
    pub fn taken(&mut self) -> Vec<(&'static str, Duration)> {
        std::mem::take(&mut self.laps)
    }
}

/// One line for each unit: its time, and those of its steps in milliseconds.
pub fn text(times: &[UnitTimes]) -> String {
    let milliseconds = |d: Duration| format!("{:.3}", d.as_secs_f64() * 1e3);
    let mut out = String::new();
    for t in times {
        let all = t.steps.iter().map(|s| s.1).sum();
        let steps: Vec<String> = t.steps.iter().map(|(name, d)| format!("{name} {}", milliseconds(*d))).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(out, "adjoint of {} made in {} ms: {}", t.unit, milliseconds(all), steps.join(", "));
    }
    out
}
