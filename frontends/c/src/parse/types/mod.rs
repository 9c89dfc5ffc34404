//! Types out of declarations, and the constants in them.
//!
//! Lives here: specifiers, declarators, definitions of structures, literals. Never here: what a
//! declared name becomes.

pub mod constants;
pub mod declarations;
pub mod record_definitions;
