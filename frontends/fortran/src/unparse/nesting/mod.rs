//! How a unit's graph nests: constructs, counted loops, jumps, loops that only exchange arrays.
//!
//! Lives here: decisions over the graph. Never here: text.

pub mod counted;
pub mod exchanges;
pub mod nested;
pub mod plan;
