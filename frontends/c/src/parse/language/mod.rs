//! What C defines: its types, and what the functions of its libraries are.
//!
//! Lives here: tables, and the types that a declaration may have. Never here: the text of a
//! program.

pub mod library;
pub mod math;
pub mod types;
