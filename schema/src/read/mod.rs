//! XML to [`Program`]: a typed streaming reader.
//!
//! Lives here: everything that turns XML text into the model, and the limits that hostile input meets. Never here: checks that
//! need the whole program (see [`crate::validate`]).
//!
//! * `syntax`, `position`, `xml`: characters, places, tokens: what makes a document well-formed XML with namespaces
//! * `problems`: what does not stop the reading
//! * `events`: the tokens for whoever is not the reader
//! * `reader`: what the parts below share: tables of names, resolution of ids
//! * `document`, `symbols`, `units`, `graphs`, `statements`, `references`, `expressions`: the parts of a document

mod document;
mod events;
mod expressions;
mod graphs;
mod ids;
mod limits;
mod position;
mod problems;
mod reader;
mod references;
mod statements;
mod symbols;
mod syntax;
mod units;
mod xml;

use crate::{Diagnostic, Program};
#[cfg(feature = "xsd")]
pub(crate) use events::{Opened, Step, events};
pub use limits::Limits;
#[cfg(feature = "xsd")]
pub(crate) use position::Tracker;

/// Reads a document. `name` is what diagnostics call it.
///
/// On success the diagnostics are warnings (what was tolerated).
///
/// # Errors
/// Ill-formed XML, a document beyond the limits, unknown elements, references that do not resolve: all that were found.
pub fn read(name: &str, xml: &[u8], limits: &Limits) -> Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>> {
    match read_with(name, xml, limits, true) {
        Some(done) => done,
        // In order, so that findings are.
        None => read_with(name, xml, limits, false).unwrap_or_else(|| Err(Vec::new())),
    }
}

/// What reading came to.
type Read = Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>>;

/// `in_rows`: with parts of it read at the same time, if all goes well; `None` if it does not.
fn read_with(name: &str, xml: &[u8], limits: &Limits, in_rows: bool) -> Option<Read> {
    let xml = match xml::Xml::new(name, xml, *limits) {
        Ok(xml) => xml,
        Err(d) => return Some(Err(vec![*d])),
    };
    let mut reader = reader::Reader::new(name, xml, in_rows);
    let stopped = reader.document().err();
    if reader.failed {
        return None;
    }
    let mut diagnostics = reader.x.found();
    diagnostics.extend(stopped.map(|d| *d));
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Some(Err(diagnostics));
    }
    Some(Ok((reader.program, diagnostics)))
}

/// Checks that a document is well-formed XML with namespaces and within the limits, whatever its elements mean.
///
/// # Errors
/// The first violation.
pub fn well_formed(name: &str, xml: &[u8], limits: &Limits) -> Result<(), Vec<Diagnostic>> {
    let mut xml = xml::Xml::new(name, xml, *limits).map_err(|d| vec![*d])?;
    events::walk(&mut xml, |_| {}).map_err(|d| vec![*d])
}

/// The root element of a well-formed document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Root {
    /// Its name without prefix.
    pub local: String,
    /// The document is what a booster writes.
    pub output: bool,
}

/// Looks at the root element, and no further than the first element that only a booster writes.
pub(crate) fn root_of(name: &str, xml: &[u8]) -> Option<Root> {
    let mut xml = xml::Xml::new(name, xml, Limits::default()).ok()?;
    let root = xml.root().ok()?;
    let location = xml.schema_location().unwrap_or_default();
    let output = if location.contains("xaif_output.xsd") {
        true
    } else if location.contains("xaif.xsd") {
        false
    } else {
        xml.find(&["ReplacementList", "DerivativePropagator", "InlinableSubroutineCall"]).unwrap_or(false)
    };
    Some(Root { local: root.local.to_string(), output })
}

#[cfg(test)]
mod tests;
