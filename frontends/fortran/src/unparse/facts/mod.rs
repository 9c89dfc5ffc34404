//! What is known of the program before anything is printed.
//!
//! `gather` fills the `context`, with what `uses` and `imports` find; `outer_names` and `unit_names` choose names.
//!
//! Lives here: facts and names. Never here: lines.

pub mod context;
pub mod gather;
pub mod imports;
pub mod outer_names;
pub mod unit_names;
pub mod uses;
