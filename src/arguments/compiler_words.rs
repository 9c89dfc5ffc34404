//! Options that are written as compilers know them.
//!
//! Lives here: these words. Never here: what options mean.

use std::ffi::OsString;

/// A command line with the words of compilers that have one dash and many letters as clap knows them.
pub fn of_compilers(words: impl Iterator<Item = OsString>) -> impl Iterator<Item = OsString> {
    let mut plain = false;
    words.map(move |word| {
        plain |= word == "--";
        match word.to_str() {
            Some("-include") if !plain => "--include-first".into(),
            Some(w) if !plain && w.starts_with("-std=") => format!("-{w}").into(),
            _ => word,
        }
    })
}
