//! The run-time support, as text.
//!
//! Lives here: the text. Never here: where it is called (see `statements/push_and_pop.rs`).

/// The run-time support that generated code needs where it records values (`overbar.h`).
pub const RUNTIME: &str = include_str!("../../../runtime/overbar.h");
