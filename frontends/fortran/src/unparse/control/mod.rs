//! What a unit does: constructs where its graph nests, labels and jumps where it does not.
//!
//! Lives here: text of control flow. Never here: whether a graph nests (see `nesting`).

pub mod labels;
pub mod statements;
pub mod structured;
pub mod unstructured;
