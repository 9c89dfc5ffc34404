//! Declarations: types, declarators, initial values.
//!
//! Lives here: how a symbol is declared. Never here: which symbols are, and where (see `units`,
//! `files`).

pub mod declarators;
