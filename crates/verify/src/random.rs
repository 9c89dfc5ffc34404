//! Numbers that look drawn by chance and are the same for the same seed on every machine.
//!
//! Lives here: the generator. Never here: what is drawn.

use overbar_evaluate::noisy::mix;

/// A generator.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// From a seed.
    pub fn new(seed: u64) -> Random {
        Random { state: mix(seed) }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.state)
    }

    /// Between 0 (inclusive) and `n`; 0 where there is nothing to choose.
    pub fn below(&mut self, n: usize) -> usize {
        if n == 0 { 0 } else { (self.next() % n as u64) as usize }
    }

    /// A single precision number between two others, so that it is the same in every real type.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        let unit = (self.next() >> 40) as f64 / (1u64 << 24) as f64;
        f64::from((low + (high - low) * unit) as f32)
    }

    /// A weight of either sign, not near zero.
    pub fn weight(&mut self) -> f64 {
        let w = self.between(0.5, 1.5);
        if self.next() & 1 == 0 { w } else { -w }
    }
}
