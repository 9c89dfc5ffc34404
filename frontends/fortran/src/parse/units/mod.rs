//! Program units as wholes: finding them, declaring, lowering, leaving out what cannot be represented.
//!
//! Lives here: the order of the steps for a unit. Never here: single declarations or statements.

pub mod body;
pub mod compact;
pub mod declare;
pub mod finish;
pub mod interfaces;
pub mod lost;
mod open;
pub mod scan;
mod shaped_results;
