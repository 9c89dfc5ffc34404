//! What all of lowering shares, and what everything behind this folder imports.
//!
//! * `state`: the program so far and what is being lowered, the struct whose methods all of lowering is,
//! * `scopes`, `names`: who is meant by a name,
//! * `terms`, `arguments`, `structures`, `exchanges`: what the steps hand on,
//! * `emission`: statements on their way into the graph,
//! * `intrinsic_names`, `intrinsic_modules`: what the language defines.
//!
//! Lives here: shared types and small functions over them. Never here: what a statement or an expression becomes.

pub mod arguments;
pub mod emission;
pub mod exchanges;
pub mod intrinsic_modules;
pub mod intrinsic_names;
pub mod names;
pub mod overlays;
pub mod scopes;
pub mod state;
pub mod structures;
pub mod terms;
