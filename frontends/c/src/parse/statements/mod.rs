//! Statements without control flow.
//!
//! Lives here: local declarations, calls that are statements of their own kind. Never here:
//! branches, loops, jumps.

pub mod conditional_pointers;
pub mod fill_and_copy;
pub mod library_statements;
pub mod local_declarations;
pub mod static_initializers;
