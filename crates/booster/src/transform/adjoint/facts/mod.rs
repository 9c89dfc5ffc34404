//! What the rooms tell each other of units and statements.
//!
//! [`argument_parts`]: which part of an array argument a unit writes.
//!
//! Comes in: nothing. Comes out: types, and how they are read off. Never here: code for a derivative.

pub(crate) mod argument_parts;
pub(crate) mod effects;
pub(crate) mod frame;
