//! Tests of the front end: what the model says, as a plain text that is easy to compare.

mod dump;
mod model;
mod robustness;
mod structures;

use super::{ParseOptions, SourceText, parse};
use xaif::{Diagnostic, Program};

/// Parses a text without the preprocessor.
pub(super) fn plain(text: &str) -> Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>> {
    parse(&[SourceText { file: "t.c", text }], &ParseOptions::default())
}

/// Parses a text with it.
pub(super) fn preprocessed(text: &str) -> Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>> {
    parse(&[SourceText { file: "t.c", text }], &ParseOptions { preprocess: true, ..ParseOptions::default() })
}
