//! Statements without control flow.
//!
//! Lives here: one statement of the text to statements of the model. Never here: loops, branches, jumps.

pub mod allocation;
pub mod assignment;
pub mod input_output;
pub mod masked;
pub mod opaque;
pub mod simple;
