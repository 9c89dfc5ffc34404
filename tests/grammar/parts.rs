//! Programs thought up from grammars, and what is checked of them, for the test and for the example `forage`.
#![allow(dead_code)]

pub mod c;
pub mod campaign;
pub mod compile;
pub mod fortran;
pub mod found;
pub mod interpret;
pub mod made;
#[path = "../random/rng.rs"]
pub mod rng;
pub mod second;
pub mod shrink;
pub mod text;
