//! First: a unit's code is brought into the shape that adjoints are made from.
//!
//! 1. [`normalization`]: a control-flow graph becomes nested code without jumps, with [`flags`] in place of the [`jumps`] that it has; what cannot be nested is one
//!    loop over [`numbered_blocks`],
//! 2. [`written_out`], [`scalar_elements`]: small arrays are scalars while an adjoint is made, loops over them statements,
//! 3. [`masked_assignments`]: assignments under a condition become branches,
//! 4. [`loop_invariants`]: what is the same in all iterations of a loop goes in front of it.
//!
//! Comes in: a graph. Comes out: items. Never here: adjoints, records.

pub(crate) mod flags;
pub(crate) mod jumps;
pub(crate) mod loop_invariants;
pub(crate) mod masked_assignments;
pub(crate) mod normalization;
pub(crate) mod numbered_blocks;
pub(crate) mod scalar_elements;
pub(crate) mod uncounted;
pub(crate) mod written_out;
