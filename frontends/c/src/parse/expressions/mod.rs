//! Expressions to term graphs.
//!
//! Lives here: operators, names, blocks with values, conversions, the order of side effects, elements that differ. Never here: pointers (see
//! `memory`), calls of functions (see `calls`).

pub mod evaluation_order;
pub mod expression;
pub mod separate_elements;
pub mod statement_expressions;
