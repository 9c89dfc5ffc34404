//! What an adjoint executes, records, and computes again.
//!
//! * [`flow`]: the code as these analyses see it, [`decisions`]: what they decide,
//! * [`recorded`]: the equations of adjoint liveness and of what is to be recorded,
//! * [`fusion`] with [`fused_flow`], [`checkpoints`]: loops of which the reverse sweep runs iterations again,
//! * [`overwritten`]: what an adjoint leaves overwritten,
//! * [`reasons`]: why something is recorded.
//!
//! All of it works on sets of variables and on code in a nested form of its own. Lives here: decisions. Never here: statements of a program.

pub mod checkpoints;
pub mod decisions;
pub mod flow;
mod fused_flow;
pub mod fusion;
pub mod overwritten;
pub mod reasons;
pub mod recorded;
