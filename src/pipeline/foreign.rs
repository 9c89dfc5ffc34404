//! Files that are written in another language, as their names say.
//!
//! Lives here: these languages, and what to do with their files. Never here: reading them.

use super::extension;
use std::path::Path;
use xaif::Diagnostic;

/// Languages with their extensions in lower case, and the way out.
const LANGUAGES: [(&str, &[&str], &str); 6] = [
    ("C++", &["cpp", "cc", "cxx", "c++", "cp", "hpp", "hh", "hxx"], AS_C),
    ("CUDA", &["cu", "cuh"], "move what one thread computes to a function in a file of C, and call its derivative from a kernel"),
    (
        "Python",
        &["py", "pyi", "pyx", "ipynb"],
        "write what is differentiated in C or Fortran; the package in python/ calls it and its derivatives from there",
    ),
    ("Julia", &["jl"], "write what is differentiated in C or Fortran, and call it and its derivatives by ccall"),
    ("MATLAB or Objective-C", &["m"], AS_C),
    ("Rust", &["rs"], "write what is differentiated in C, and call it and its derivatives by extern \"C\""),
];

/// The way out where C is near.
const AS_C: &str = "move what is differentiated to a file of C, or give --language c for one that is C whatever its name says";

/// OB0105 for a file of another language.
pub fn refusal(file: &Path) -> Option<Diagnostic> {
    let own = extension(file).to_ascii_lowercase();
    let (language, _, way) = LANGUAGES.iter().find(|(_, extensions, _)| extensions.contains(&own.as_str()))?;
    Some(Diagnostic::error("OB0105", format!("{} is {language}, which is not read", file.display())).help(*way))
}
