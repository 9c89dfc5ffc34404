//! A diagnostic as people read it: `FILE:LINE:COLUMN: error: message [CODE]`, the lines of the text with the place marked, the way out.
//!
//! Lives here: that form. Never here: where it goes.

use super::snippets::Text;
use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic};
use std::fmt::Write;
use xaif::{Diagnostic, Severity};

/// Lines are not longer than this, but for those that are shown.
const WIDTH: usize = 100;

/// The text of a diagnostic; `text` is what its place is in, if it can be shown.
pub fn text(d: &Diagnostic, text: Option<&Text>, color: bool) -> String {
    let mut out = headline(d, text.is_some(), color);
    out.push('\n');
    let mut shown = MietteDiagnostic::new("").with_severity(match d.severity {
        Severity::Error => miette::Severity::Error,
        Severity::Warning => miette::Severity::Warning,
        Severity::Note => miette::Severity::Advice,
    });
    if let Some(help) = &d.help {
        shown = shown.with_help(help.clone());
    }
    let report = match (&d.location, text) {
        (Some(l), Some(text)) => {
            let label = d.reason.clone().unwrap_or_else(|| "here".to_owned());
            let (excerpt, span) = text.excerpt(l);
            miette::Report::new(shown.with_label(LabeledSpan::new_with_span(Some(label), span))).with_source_code(excerpt)
        }
        _ => miette::Report::new(shown),
    };
    let theme = if color { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let mut below = String::new();
    if GraphicalReportHandler::new_themed(theme).with_width(WIDTH).render_report(&mut below, report.as_ref()).is_ok() {
        // The first line is that of the message, which stands above.
        out.push_str(below.split_once('\n').map_or("", |p| p.1));
    }
    out
}

/// What is wrong, and where: editors know this form.
fn headline(d: &Diagnostic, is_shown: bool, color: bool) -> String {
    let (word, style) = match d.severity {
        Severity::Error => ("error", "1;31"),
        Severity::Warning => ("warning", "1;33"),
        Severity::Note => ("note", "1;36"),
    };
    let painted = |text: &str, style: &str| if color { format!("\x1b[{style}m{text}\x1b[0m") } else { text.to_owned() };
    let mut out = String::new();
    if let Some(l) = &d.location {
        let place = format!("{}:{}:{}:", l.file, l.line, l.column);
        // A place that is not known exactly has no column, or no line.
        let place = place.trim_end_matches(":0:").trim_end_matches(":0");
        let _ = write!(out, "{} ", painted(&format!("{}:", place.trim_end_matches(':')), "1"));
    }
    let _ = write!(out, "{} {}", painted(&format!("{word}:"), style), d.message);
    // Where the text is shown, the reason stands at the place.
    if let Some(reason) = d.reason.as_ref().filter(|_| !is_shown) {
        let _ = write!(out, " ({reason})");
    }
    let _ = write!(out, " [{}]", d.code);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use xaif::diagnostic::Location;

    fn at(line: u32, column: u32) -> Location {
        Location { file: "f.c".to_owned(), line, column, end_line: line, end_column: column + 1 }
    }

    #[test]
    fn what_and_where_stand_in_the_first_line() {
        let d = Diagnostic::error("OB2004", "syntax error").because("as it is").help("mend it");
        assert_eq!(text(&d, None, false), "error: syntax error (as it is) [OB2004]\n  help: mend it\n");
        let placed = d.at(at(2, 5));
        assert!(text(&placed, None, false).starts_with("f.c:2:5: error: syntax error (as it is) [OB2004]\n"));
        let source = Text::new("int a;\nint ? b;\n".to_owned());
        let shown = text(&placed, Some(&source), false);
        assert!(shown.starts_with("f.c:2:5: error: syntax error [OB2004]\n   ╭─[f.c:2:5]\n"), "{shown}");
        assert!(shown.contains("as it is") && shown.ends_with("  help: mend it\n"), "{shown}");
        let warned = Diagnostic::warning("OB0001", "look").at(at(0, 0));
        assert!(text(&warned, None, false).starts_with("f.c: warning: look [OB0001]\n"));
        assert!(text(&warned, None, true).contains("\x1b[1;33mwarning:\x1b[0m look"));
    }
}
