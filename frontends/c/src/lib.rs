//! C to XAIF and back.
//!
//! [`parse`] turns source text into a program, [`unparse`] a program into source text. Neither knows how to differentiate; neither reads
//! files.

mod headers_once;
pub mod parse;
pub mod unparse;

/// The run-time support that generated code needs where it records values (`overbar.h`).
pub const RUNTIME: &str = include_str!("../runtime/overbar.h");

pub use parse::{ParseOptions, parse};
pub use unparse::{UnparseOptions, Unparsed, UnparsedFile, UnparsedFiles, unparse, unparse_files};
