//! Expressions to term graphs.
//!
//! Lives here: operators, names, conversions, the order of side effects. Never here: pointers (see
//! `memory`), calls of functions (see `calls`).

pub mod evaluation_order;
pub mod expression;
