//! Calls of procedures.
//!
//! Lives here: which procedure is meant, what is passed, where the result goes. Never here: what a procedure does.

pub mod arguments;
pub mod defined_operators;
pub mod elemental;
pub mod functions;
pub mod intrinsic_subroutines;
pub mod procedures;
pub mod specialised;
pub mod structure_results;
pub mod subroutines;
