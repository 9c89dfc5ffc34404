//! Functions and files as wholes.
//!
//! Lives here: functions to units, what is at file scope, and what only the end of translation
//! tells: members as arguments, who calls whom. Never here: bodies of functions.

pub mod call_edges;
pub mod functions;
pub mod member_arguments;
pub mod passed_rows;
pub mod passed_structures;
pub mod translation_unit;
