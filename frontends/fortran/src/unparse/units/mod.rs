//! Program units and modules from the model.
//!
//! Lives here: everything between the first and the last line of a unit. Never here: where in a file it stands.

pub mod headings;
pub mod modules;
pub mod provenance;
pub mod sequence;
pub mod specification;
pub mod unit;
pub mod use_lines;
