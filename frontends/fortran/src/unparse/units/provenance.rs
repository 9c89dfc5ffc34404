//! What tells where a text comes from: the name of its file, and what made the derivatives.
//!
//! Lives here: two small texts. Never here: units.

use crate::unparse::facts::context::Context;
use crate::unparse::language::identifiers;
use crate::unparse::text::layout::{Line, comment};

/// The file's name without folder and extension, as a Fortran name.
pub fn stem(cx: &Context) -> String {
    let file = cx.program.sources.first().map_or(cx.program.document.as_str(), |s| s.file.as_str());
    let name = file.rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = name.split('.').next().unwrap_or_default();
    let stem = if stem.is_empty() { "program" } else { stem };
    let mut legal = identifiers::legal(stem);
    legal.truncate(50); // room for a suffix
    legal
}

/// The comment that tells what made the derivatives.
pub fn provenance(cx: &Context, indent: usize) -> Vec<Line> {
    comment(indent, &cx.program.provenance).collect()
}
