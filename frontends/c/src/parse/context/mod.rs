//! What all of lowering shares, and what everything behind this folder imports.
//!
//! * `state`: the program so far and what is being lowered, the struct whose methods all of
//!   lowering is,
//! * `places`, `values`, `terms`, `records`, `jump_targets`, `loop_ranges`: what the steps hand on,
//! * `emission`: statements on their way into the graph.
//!
//! Lives here: shared types and small functions over them. Never here: what a declaration, an
//! expression or a statement becomes.

pub mod emission;
pub mod jump_targets;
pub mod loop_ranges;
pub mod places;
pub mod records;
pub mod state;
pub mod terms;
pub mod values;
