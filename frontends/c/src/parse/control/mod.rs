//! Control flow: constructs of the text to vertices and edges.
//!
//! Lives here: blocks, branches, loops, jumps; which kind a statement is of. Never here: statements
//! without control flow.

pub mod jumps;
pub mod loops;
pub mod statements;
pub mod switch;
