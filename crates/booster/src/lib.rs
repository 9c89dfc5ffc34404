//! The Overbar booster: derivative programs from programs, in XAIF.
//!
//! [`boost`] is the whole of it: a pure function from a program and a request to the program with its derivative units. The steps
//! are
//!
//! 1. [`heads`]: what is asked for, resolved against the program,
//! 2. [`analysis`]: facts about the program (side effects, activity, what is to be recorded),
//! 3. [`linearize`]: partial derivatives of statements,
//! 4. [`transform`]: tangent and adjoint units made from them.
//!
//! [`diagnostics`] is the table of what every diagnostic code means.
//! [`facts`] tells what the analyses found, for people and programs.
//! [`rules`] say what is not in the program.
//! [`plot`] draws programs and graphs. [`stats`] says what derivative code records.
//!
//! Nothing here reads or writes text; nothing here knows a source language. Nothing here runs a program: what judges derivative
//! code (`overbar-evaluate`, `overbar-verify`) must not depend on what makes it, nor the other way round.

pub mod analysis;
pub mod diagnostics;
pub mod facts;
pub mod linearize;
pub mod notation;
pub mod plot;
pub mod rules;
pub mod signature;
pub mod stats;
#[cfg(test)]
mod testing;
pub mod transform;

pub use analysis::heads;
pub use transform::{Boosted, Options, boost, boost_for_xaif};
