//! Fourth: the forward and the reverse sweep.
//!
//! [`sweeps`] walks over the code, with what was decided in [`super::record`]; [`loops`] reverses loops, [`fused`] those whose iterations are independent, and
//! [`checkpoints`] those that are reversed from [`snapshots`], in [`iteration_groups`].
//!
//! Comes in: items, their adjoints, decisions. Comes out: two lists of items. Never here: what surrounds the sweeps.

pub(crate) mod checkpoints;
pub(crate) mod fused;
pub(crate) mod iteration_groups;
pub(crate) mod loops;
pub(crate) mod snapshots;
pub(crate) mod sweeps;
