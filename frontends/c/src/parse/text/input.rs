//! What comes in: files and how to read them.
//!
//! Lives here: the types. Never here: reading.

/// How to read.
#[derive(Clone, Debug, Default)]
pub struct ParseOptions {
    /// Options for the preprocessor (`-I`, `-D`, `-U`, `-include`, `-std=`), in order.
    pub preprocessor: Vec<String>,
    /// Options for that of single files, behind the others, by the name of the file.
    pub of_files: Vec<(String, Vec<String>)>,
    /// Whether the preprocessor runs; C needs it, Fortran where the extension is upper case.
    pub preprocess: bool,
    /// Fixed source form (Fortran).
    pub fixed_form: bool,
}

impl ParseOptions {
    /// All options for the preprocessor of a file.
    pub(crate) fn of(&self, file: &str) -> Vec<String> {
        let own = self.of_files.iter().find(|(f, _)| f == file).map_or(&[][..], |(_, list)| list);
        self.preprocessor.iter().chain(own).cloned().collect()
    }
}

/// One source file.
#[derive(Clone, Debug)]
pub struct SourceText<'a> {
    /// The name as the user gave it: for diagnostics, and where `#include` starts to look.
    pub file: &'a str,
    /// Its text.
    pub text: &'a str,
}
