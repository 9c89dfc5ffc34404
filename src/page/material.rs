//! What a page tells.
//!
//! Lives here: data. Never here: HTML.

use super::documents::Documents;
use super::graphs::Picture;
use overbar::facts::Document;
use overbar::stats::UnitStats;
use overbar::transform::Decision;
use overbar::transform::choice::CallChoice;
use overbar::verify::Certificate;
use xaif::lined::Origin;
use xaif::{Diagnostic, Program};

/// Derivative code with the origin of each line.
pub struct Generated {
    /// What it is written in: `C`, `Fortran`, `XAIF`.
    pub language: &'static str,
    /// Its text.
    pub text: String,
    /// Where its lines come from.
    pub origins: Vec<Origin>,
}

/// What is known of the derivatives' correctness.
pub enum Checked {
    /// Nobody asked.
    Unasked,
    /// The certificate.
    Certificate(Certificate),
    /// It could not be checked, and why.
    Refused(Vec<Diagnostic>),
}

/// What the page tells.
pub struct Material<'a> {
    /// The heads, as they are written.
    pub heads: Vec<String>,
    /// Original and derivative units.
    pub program: &'a Program,
    /// The texts on the left.
    pub documents: Documents,
    /// The code on the right.
    pub generated: Generated,
    /// What the analyses found.
    pub facts: &'a Document,
    /// What adjoints record.
    pub stats: &'a [UnitStats],
    /// What was decided about sequences of statements.
    pub decisions: &'a [Decision],
    /// What was decided about calls.
    pub calls: &'a [CallChoice],
    /// Call graph and control-flow graphs.
    pub drawings: Vec<Picture>,
    /// Whether the derivatives are right.
    pub checked: Checked,
    /// What was said on the way.
    pub diagnostics: &'a [Diagnostic],
}
