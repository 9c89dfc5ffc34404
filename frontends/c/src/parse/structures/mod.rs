//! Structures: a variable for each member that is used.
//!
//! Lives here: members as variables, unions of numbers as arrays, initial values, pointers in structures. Never here: structures
//! as arguments (see `calls` and `units`).

pub mod data_accessors;
pub mod initializers;
pub mod member_targets;
pub mod member_variables;
pub mod overlaid_numbers;
pub mod owned_memory;
pub mod whole_structures;
