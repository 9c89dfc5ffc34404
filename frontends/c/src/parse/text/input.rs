//! What comes in: files and how to read them.
//!
//! Lives here: the types. Never here: reading.

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
