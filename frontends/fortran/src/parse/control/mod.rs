//! Control flow: constructs of the text to vertices and edges.
//!
//! Lives here: branches, loops, jumps, constructs with names of their own. Never here: statements without control flow.

pub mod associate;
pub mod blocks;
pub mod branches;
pub mod cases;
pub mod concurrent;
pub mod counted;
pub mod forall;
pub mod jumps;
pub mod loops;
pub mod pointers;
pub mod statements;
