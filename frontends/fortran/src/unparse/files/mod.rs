//! What a file holds: everything from the model (`whole`), the user's text with derivatives added (`splice`), the derivatives alone (`beside`), or their
//! interfaces.
//!
//! Lives here: where something goes. Never here: how units are printed.

pub mod beside;
pub mod interfaces;
mod released;
pub mod splice;
pub mod whole;
