//! How much work a method may do: steps that are counted, and a time by the clock where one was asked for.

use std::time::Instant;

/// The limits of a method. Counted steps alone make a method deterministic.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Elementary steps left.
    pub steps: u64,
    /// When to stop at the latest.
    pub until: Option<Instant>,
    since_look: u64,
}

/// Steps between two looks at the clock.
const LOOK: u64 = 20_000;

impl Budget {
    /// That many steps, by no clock.
    pub fn steps(steps: u64) -> Budget {
        Budget { steps, until: None, since_look: 0 }
    }

    /// As many steps as fit into the time.
    pub fn until(until: Instant) -> Budget {
        Budget { steps: u64::MAX, until: Some(until), since_look: 0 }
    }

    /// The same with at most that many steps.
    pub fn at_most(self, steps: u64) -> Budget {
        Budget { steps: self.steps.min(steps), ..self }
    }

    /// The same, ending at that time at the latest.
    pub fn sooner(self, until: Instant) -> Budget {
        Budget { until: Some(self.until.map_or(until, |u| u.min(until))), ..self }
    }

    /// Takes steps; false when there are none left, or the time is over.
    pub fn spend(&mut self, steps: u64) -> bool {
        self.steps = self.steps.saturating_sub(steps);
        self.since_look += steps;
        if self.since_look >= LOOK {
            self.since_look = 0;
            if self.until.is_some_and(|until| Instant::now() >= until) {
                self.steps = 0;
            }
        }
        self.steps > 0
    }

    /// True when nothing is left.
    pub fn is_over(&self) -> bool {
        self.steps == 0 || self.until.is_some_and(|until| Instant::now() >= until)
    }
}
