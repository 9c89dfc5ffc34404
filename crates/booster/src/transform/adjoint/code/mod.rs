//! Nested code: what all rooms read and write.
//!
//! A unit's code is a tree of items without jumps ([`tree`]); here are its items, and the walk that replaces symbols ([`renaming`]).
//!
//! Comes in: nothing of an adjoint. Never here: what a statement means for a derivative.

pub(crate) mod expressions;
pub(crate) mod iterations;
pub(crate) mod liveness;
pub(crate) mod mentions;
pub(crate) mod renaming;
pub(crate) mod surroundings;
pub(crate) mod tree;
pub(crate) mod writes;
