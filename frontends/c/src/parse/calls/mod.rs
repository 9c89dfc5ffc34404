//! Calls of functions.
//!
//! Lives here: which function is meant, what is passed, where the result goes. Never here: what a
//! function does.

pub mod function_calls;
pub mod lent_numbers;
pub mod math_calls;
pub mod math_targets;
pub mod structure_arguments;
