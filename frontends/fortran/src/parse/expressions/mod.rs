//! Expressions to term graphs.
//!
//! Lives here: operators, names, literals, intrinsic functions of scalars. Never here: whole arrays that need loops (see `arrays`), calls of units (see
//! `calls`).

pub mod expression;
pub mod hoist;
pub mod intrinsic_arguments;
pub mod intrinsics;
pub mod literals;
pub mod operators;
pub mod overlaid;
pub mod references;
pub mod representation;
pub mod statement_functions;
