//! What became of a batch: reports as JSON, XML, JUnit XML and a page.
//!
//! Lives here: that all forms are written. Never here: what they say, and what they look like.

mod data;
mod html;
mod junit;
mod merge;
mod xml;

use crate::console::files::store;
pub use data::{JSON, Report};
pub use merge::merge;
use std::path::Path;
use xaif::Diagnostic;

/// Writes all forms of a report into a folder.
///
/// # Errors
/// OB0103.
pub fn write(report: &Report, folder: &Path) -> Result<(), Diagnostic> {
    let json = serde_json::to_string_pretty(report).unwrap_or_default() + "\n";
    store(&folder.join("report.xml"), &xml::xml(report), folder)?;
    store(&folder.join("junit.xml"), &junit::xml(report), folder)?;
    store(&folder.join("report.html"), &html::page(report), folder)?;
    store(&folder.join(JSON), &json, folder)
}
