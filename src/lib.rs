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
//! [`eliminate`] finds elimination sequences for local Jacobians on plain graphs.
//! [`diagnostics`] is the table of what every diagnostic code means.
//! [`facts`] tells what the analyses found, for people and programs.
//! [`rules`] say what is not in the program.
//! [`plot`] draws programs and graphs. [`stats`] says what derivative code records.
//! [`verify`] certifies what came out. [`evaluate`] runs a program without any compiler, to check what came out. Nothing here reads or writes text; nothing here knows a source
//! language.

pub mod analysis;
pub mod diagnostics;
pub mod eliminate;
pub mod evaluate;
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
pub mod verify;

pub use analysis::heads;
pub use transform::{Boosted, Options, boost, boost_for_xaif};
