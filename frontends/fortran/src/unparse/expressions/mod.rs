//! Term graphs to text.
//!
//! Lives here: values, and the statements that must stand before them. Never here: the statements that use them.

pub mod conditions;
pub mod operations;
pub mod pieces;
pub mod references;
pub mod spellings;
pub mod writer;
