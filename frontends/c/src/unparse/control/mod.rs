//! What a unit does: constructs where its graph nests, labels and jumps where it does not.
//!
//! Lives here: text of control flow. Never here: statements without it.

pub mod case_labels;
pub mod structured;
pub mod unstructured;
