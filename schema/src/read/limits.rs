//! What a document may cost.
//!
//! Lives here: the numbers. Never here: who counts.

/// What a document may cost. Beyond it the reader stops with an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Size of the document in bytes.
    pub bytes: usize,
    /// Depth of nested elements. Beyond 400 is not read whatever this says.
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
