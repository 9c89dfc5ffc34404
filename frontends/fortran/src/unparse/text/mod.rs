//! Lines of Fortran and the words of refusals.
//!
//! Lives here: layout in both source forms, one function for each refusal. Never here: what is laid out, why something is refused.

pub mod layout;
pub mod problems;
