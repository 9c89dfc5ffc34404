//! XML to [`Program`]: a typed streaming reader.
//!
//! Lives here: everything that turns XML text into the model, and the limits that hostile input meets. Never here: checks that
//! need the whole program (see [`crate::validate`]).

use crate::{Diagnostic, Program};

/// What a document may cost. Beyond it the reader stops with an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Size of the document in bytes.
    pub bytes: usize,
    /// Depth of nested elements.
    pub depth: usize,
    /// Attributes of one element.
    pub attributes: usize,
    /// Length of one name, attribute value or text.
    pub token: usize,
    /// Number of elements.
    pub elements: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { bytes: 1 << 30, depth: 256, attributes: 256, token: 1 << 26, elements: 1 << 27 }
    }
}

/// Reads a document. `name` is what diagnostics call it.
///
/// On success the diagnostics are warnings (what was tolerated).
///
/// # Errors
/// Ill-formed XML, a document beyond the limits, unknown elements, references that do not resolve: all that were found.
pub fn read(name: &str, xml: &[u8], limits: &Limits) -> Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>> {
    let _ = (name, xml, limits);
    Err(vec![Diagnostic::error("OB1000", "reading XAIF is not built yet")])
}
