//! Overbar as a library: the crates that it is made of, under one name.
//!
//! [`boost`] makes derivative programs from programs. [`eliminate`] finds elimination sequences for local Jacobians on plain
//! graphs. [`evaluate`] runs a program without any compiler, and [`verify`] certifies with it what came out. Nothing here reads or
//! writes text; nothing here knows a source language: see the crates `xaif`, `overbar-c` and `overbar-fortran`.

pub use overbar_booster::{
    Boosted, Options, analysis, boost, boost_for_xaif, diagnostics, facts, heads, linearize, notation, plot, rules, signature, stats,
    transform,
};
pub use overbar_eliminate as eliminate;
pub use overbar_evaluate as evaluate;
pub use overbar_verify as verify;
