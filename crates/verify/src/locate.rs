//! Which statement is to blame: the first whose local derivative is wrong, in the order in which derivatives are propagated.
//!
//! Original and derivative unit run in the interpreter, and their records are compared: [`run`] is a record from the side of the variables,
//! [`pairing`] says which executions of derivative code stand for which ones of the original ([`mod@align`]). A derivative is looked at where
//! derivative code reads it, and in the end: only there it has to be right. Where it is wrong, it is followed back to the statement behind which it
//! was still right ([`tangent`], [`adjoint`]); that statement is to blame, or the one that has overwritten a value that does not come back
//! ([`past`]). Lives here: what both modes share. Never here: verdicts.

pub mod adjoint;
pub mod align;
mod common;
pub mod pairing;
pub mod past;
pub mod reference;
pub mod run;
pub mod tangent;

pub use adjoint::adjoint;
pub use tangent::tangent;
