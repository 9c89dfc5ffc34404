//! Declarations: their order, what is said of each entity, what a module's own text says.
//!
//! Lives here: types, attributes, bounds, initial values, COMMON. Never here: headers of units.

pub mod access;
pub mod entities;
pub mod order;
pub mod type_texts;
