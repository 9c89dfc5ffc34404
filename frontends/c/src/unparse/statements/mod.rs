//! Statements of blocks: assignments, calls, whole arrays, records.
//!
//! Lives here: what one statement becomes, and the loops that stand before it. Never here: control
//! flow, declarations.

pub mod arrays;
pub mod calls;
pub mod pointer_exchanges;
pub mod push_and_pop;
pub mod reductions;
pub mod rows;
pub mod statement;
