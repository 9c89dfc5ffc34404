//! Specification parts: declarations to symbols.
//!
//! `statements` says which declaration one is; a file each for `variables`, `commons`, `imports`, `data`; `kinds` folds constants, `finish`
//! settles what only the end of the part tells.
//!
//! Lives here: types, dimensions, attributes, storage of names. Never here: executable statements.

pub mod commons;
pub mod data;
pub mod finish;
pub mod imports;
pub mod kinds;
pub mod shared_storage;
pub mod statements;
pub mod variables;
