//! MOVE_ALLOC that belong to exchanges of arrays.
//!
//! Lives here: where they stand. Never here: how they are found (see `facts`), what becomes of them (see `arrays`).

use rustc_hash::FxHashMap;

/// What a MOVE_ALLOC is to an exchange.
#[derive(Clone, Debug)]
pub enum Part {
    /// The first one: the name between, and the arrays, of which each gets what the next one has.
    First(String, Vec<String>),
    /// A later one, of the exchange that begins at this byte.
    Later(usize),
}

/// The MOVE_ALLOC that belong to exchanges, by their places in the text.
pub type Swaps = FxHashMap<usize, Part>;
