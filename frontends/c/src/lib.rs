//! C to XAIF and back.
//!
//! [`parse`] turns source text into a program, [`unparse`] a program into source text. Neither knows how to differentiate; neither reads
//! files.

mod joined_text;
pub mod parse;
pub mod unparse;

pub use parse::{ParseOptions, parse};
pub use unparse::{RUNTIME, UnparseOptions, Unparsed, UnparsedFile, UnparsedFiles, unparse, unparse_files};
