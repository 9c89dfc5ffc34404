//! Fortran to XAIF and back.
//!
//! [`parse`] turns source text into a program, [`unparse`] a program into source text. Neither knows how to differentiate; neither reads
//! files.

pub mod parse;
pub mod unparse;

/// The run-time support that generated code needs where it records values (`overbar_runtime.f90`).
pub const RUNTIME: &str = include_str!("../runtime/overbar_runtime.f90");

pub use parse::{ParseOptions, parse};
pub use unparse::{UnparseOptions, Unparsed, UnparsedFile, UnparsedFiles, drawn_procedures, unparse, unparse_files};
