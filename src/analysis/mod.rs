//! Facts about a program: pure functions from the program to side tables.

pub mod bits;
pub mod recorded;
