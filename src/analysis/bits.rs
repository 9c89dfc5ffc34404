//! Sets of small numbers as bits.

/// A set of numbers below a limit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bits {
    words: Vec<u64>,
}

impl Bits {
    /// The empty set, for numbers below `limit`.
    pub fn none(limit: usize) -> Bits {
        Bits { words: vec![0; limit.div_ceil(64)] }
    }

    /// Whether the number is in it.
    pub fn has(&self, n: u32) -> bool {
        self.words.get(n as usize / 64).is_some_and(|w| w >> (n % 64) & 1 == 1)
    }

    /// Adds a number.
    pub fn insert(&mut self, n: u32) {
        let at = n as usize / 64;
        if at >= self.words.len() {
            self.words.resize(at + 1, 0);
        }
        self.words[at] |= 1 << (n % 64);
    }

    /// Adds several.
    pub fn insert_all(&mut self, numbers: &[u32]) {
        for &n in numbers {
            self.insert(n);
        }
    }

    /// Takes a number out.
    pub fn remove(&mut self, n: u32) {
        if let Some(w) = self.words.get_mut(n as usize / 64) {
            *w &= !(1 << (n % 64));
        }
    }

    /// Adds all of another set; tells whether that changed anything.
    pub fn join(&mut self, other: &Bits) -> bool {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        let mut changed = false;
        for (a, b) in self.words.iter_mut().zip(&other.words) {
            changed |= b & !*a != 0;
            *a |= b;
        }
        changed
    }

    /// Whether every member is in the other set, too.
    pub fn is_subset(&self, other: &Bits) -> bool {
        self.words.iter().enumerate().all(|(i, w)| w & !other.words.get(i).copied().unwrap_or(0) == 0)
    }

    /// The members, in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().enumerate().flat_map(|(i, w)| (0..64).filter(move |b| w >> b & 1 == 1).map(move |b| i as u32 * 64 + b))
    }
}
