//! Adjoints of small programs, against dual numbers.

mod harness;
mod loops;
mod straight;
