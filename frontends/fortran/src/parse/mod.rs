//! Fortran text to a program.

use xaif::{Diagnostic, Program};

/// How to read.
#[derive(Clone, Debug, Default)]
pub struct ParseOptions {
    /// Options for the preprocessor (`-I`, `-D`), in order.
    pub preprocessor: Vec<String>,
    /// Whether the preprocessor runs; C needs it, Fortran where the extension is upper case.
    pub preprocess: bool,
    /// Fixed source form (Fortran).
    pub fixed_form: bool,
}

/// One source file.
#[derive(Clone, Debug)]
pub struct SourceText<'a> {
    /// The name as the user gave it: for diagnostics, and where `#include` starts to look.
    pub file: &'a str,
    /// Its text.
    pub text: &'a str,
}

/// Reads source files into one program. The diagnostics of a success are warnings.
///
/// # Errors
/// Text that does not parse, and constructs outside the supported language where they could matter: all that were found.
pub fn parse(sources: &[SourceText], options: &ParseOptions) -> Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>> {
    let _ = (sources, options);
    Err(crate::unbuilt("the front end"))
}
