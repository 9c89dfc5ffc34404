//! What is asked for, and what comes out.
//!
//! Lives here: the types. Never here: writing.

use xaif::lined::Origin;

/// How to write.
#[derive(Clone, Debug, Default)]
pub struct UnparseOptions {
    /// Only the derivative units, to be linked beside the original.
    pub no_primal: bool,
    /// Also make a header (C) or interface module (Fortran) with the derivative interfaces.
    pub header: bool,
}

/// Source text.
#[derive(Clone, Debug, Default)]
pub struct Unparsed {
    /// The source file: the user's text with the derivative units added, where the program carries it; else all units from the model.
    pub source: String,
    /// Where each of its lines comes from.
    pub origins: Vec<Origin>,
    /// The header or interface module, if asked for.
    pub header: Option<String>,
    /// Whether the code needs the run-time support.
    pub needs_runtime: bool,
}
