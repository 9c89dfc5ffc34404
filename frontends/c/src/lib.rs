//! C to XAIF and back.
//!
//! [`parse`] turns source text into a program, [`unparse`] a program into source text. Neither knows how to differentiate; neither reads
//! files.

use xaif::{Diagnostic, Program};

pub mod parse;
pub mod unparse;

/// The run-time support that generated code needs where it records values (`overbar.h`).
pub const RUNTIME: &str = include_str!("../runtime/overbar.h");

pub use parse::{ParseOptions, parse};
pub use unparse::{UnparseOptions, Unparsed, unparse};

#[allow(unused)]
fn unbuilt(what: &str) -> Vec<Diagnostic> {
    vec![Diagnostic::error("OB0000", format!("{what} is not built yet"))]
}
#[allow(unused)]
type Parsed = (Program, Vec<Diagnostic>);
