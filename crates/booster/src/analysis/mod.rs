//! Facts about a program: pure functions from the program to side tables.
//!
//! The way of the data, a folder for each part of it:
//!
//! 1. [`dataflow`]: sets, and how equations are solved,
//! 2. [`program`]: objects and steps, read off the text,
//! 3. [`arrays`]: parts of arrays, and the arithmetic of subscripts,
//! 4. [`effects`]: what units do to memory, their callees included,
//! 5. [`facts`]: what both modes start from, whatever the heads,
//! 6. [`accesses`]: which statement touches what another one touches,
//! 7. [`activity`]: what has a derivative under the heads, and what is refused,
//! 8. [`reversal`]: what an adjoint executes, records, and computes again.
//!
//! A folder imports from those before it. Never here: changes of the program.

pub mod accesses;
pub mod activity;
pub mod arrays;
pub mod dataflow;
pub mod effects;
pub mod facts;
pub mod program;
pub mod reversal;

// What programs around the booster start from.
pub use activity::active::Activity;
pub use activity::heads;
pub use facts::Facts;

#[cfg(test)]
mod tests;
