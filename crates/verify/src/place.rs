//! Places that reports name.
//!
//! Lives here: from a location to the line that stands there. Never here: which places are named.

use super::certificate::Place;
use xaif::diagnostic::Location;
use xaif::{Diagnostic, Program};

/// The place that a remark of the interpreter names.
pub(super) fn kink_place(program: &Program, d: &Diagnostic, message: &str) -> Place {
    let unit = d.reason.as_ref().and_then(|r| r.split('`').nth(1)).map(str::to_owned);
    Place {
        statement: d.location.as_ref().map_or_else(String::new, |l| line_of(program, l)),
        location: d.location.clone(),
        units: unit.into_iter().collect(),
        message: message.into(),
    }
}

/// The line of the source to which a location points.
pub(super) fn line_of(program: &Program, l: &Location) -> String {
    let source = program.sources.iter().find(|s| s.file == l.file);
    source.and_then(|s| s.text.lines().nth(l.line.saturating_sub(1) as usize)).map_or_else(String::new, |t| t.trim().to_owned())
}
