//! Statements of blocks: assignments, calls, text, records.
//!
//! Lives here: what one statement becomes. Never here: control flow, declarations.

pub mod assignment;
pub mod body;
pub mod calls;
pub mod opaque;
pub mod records;
