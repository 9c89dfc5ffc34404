//! Diagnostics as a document, valid against `schema/xsd/diagnostics.xsd`.
//!
//! Lives here: which element says what. Never here: XML text, which the format's writer makes.

use super::Outcome;
use xaif::write::tree::{Element, document};
use xaif::{Diagnostic, Severity};

/// The document. `tool` names who found them.
pub fn xml(tool: &str, outcome: Outcome, found: &[Diagnostic]) -> String {
    let mut root =
        Element::new("diagnostics").with("xmlns", "urn:overbar:diagnostics:1").with("tool", tool).with("outcome", outcome.word());
    root.children = found.iter().map(diagnostic).collect();
    document(&root)
}

/// A severity in one word.
pub fn severity(s: Severity) -> &'static str {
    match s {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}

fn diagnostic(d: &Diagnostic) -> Element {
    let mut e = Element::new("diagnostic").with("code", d.code).with("severity", severity(d.severity));
    if let Some(l) = &d.location {
        e = e
            .with("file", &l.file)
            .with("line", l.line)
            .with("column", l.column)
            .with("endLine", l.end_line)
            .with("endColumn", l.end_column);
    }
    e = e.child(Element::new("message").text(&d.message));
    for (name, text) in [("reason", &d.reason), ("help", &d.help)] {
        e.children.extend(text.iter().map(|t| Element::new(name).text(t)));
    }
    e
}

#[cfg(test)]
mod tests {
    use super::*;
    use xaif::diagnostic::Location;

    #[test]
    fn documents_are_valid_whatever_the_texts_hold() {
        let place = Location { file: "a<&>\"'\u{1}é.c".into(), line: 3, column: 1, end_line: 3, end_column: 9 };
        let list = [
            Diagnostic::error("OB4003", "a < b && \"c\" ]]> \u{0}").at(place).because("r\n\ts").help("\u{fffe}"),
            Diagnostic::warning("OB0101", ""),
        ];
        for found in [&list[..], &[]] {
            let text = xml("overbar 1", Outcome::Refused, found);
            let wrong = xaif::validate::schema("d.xml", text.as_bytes());
            assert!(wrong.is_empty(), "{wrong:?}\n{text}");
        }
    }
}
