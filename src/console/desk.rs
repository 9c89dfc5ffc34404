//! The files of a request that came from somewhere else than the file system.
//!
//! Lives here: what a command reads and writes where it may not touch files and streams of the process: a service gives it files by name and
//! takes what it writes. Never here: what commands do.

// Only the service works at one.
#![cfg_attr(not(feature = "serve"), allow(dead_code))]

use std::collections::BTreeMap;
use xaif::Diagnostic;

/// Files in, files and words out.
#[derive(Debug, Default)]
pub struct Desk {
    /// What can be read, by name.
    pub files: BTreeMap<String, Vec<u8>>,
    /// What went to standard output.
    pub output: Vec<u8>,
    /// What was written, by name.
    pub written: BTreeMap<String, Vec<u8>>,
    /// What the certificate of derivatives says, in a word.
    pub verdict: Option<String>,
    /// Diagnostics, in order.
    pub said: Vec<Diagnostic>,
    /// Other text for standard error.
    pub aside: String,
}

impl Desk {
    /// A file.
    ///
    /// # Errors
    /// There is none of that name.
    pub fn read(&self, name: &str) -> std::io::Result<Vec<u8>> {
        self.files
            .get(name)
            .cloned()
            .ok_or_else(|| std::io::Error::new(std::io::ErrorKind::NotFound, "the request has no file of that name"))
    }
}
