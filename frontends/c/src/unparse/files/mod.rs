//! What a file holds: everything from the model (`whole`), the user's text with derivatives added
//! or the derivatives alone (`splice`), or their interfaces (`header`).
//!
//! Lives here: where something goes. Never here: how functions are printed.

pub mod header;
pub mod hidden_names;
pub mod splice;
pub mod whole;
