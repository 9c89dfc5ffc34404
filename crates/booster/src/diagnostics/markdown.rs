//! `docs/diagnostics.md`.
//!
//! Lives here: how the table becomes a page. Never here: its texts.

use super::{Entry, FAMILIES};
use std::fmt::Write;

/// The page.
pub fn page() -> String {
    let mut out = String::from(
        "# Diagnostics\n\nEvery message of Overbar has a code that never changes its meaning: errors (refused, nothing is written), warnings and notes. \
         `overbar explain OB4003` prints what stands here.\n\nThis page is made from the table in `crates/booster/src/diagnostics/` by \
         `overbar explain --all > docs/diagnostics.md`.\n",
    );
    for f in FAMILIES {
        // Writing to a string cannot fail.
        let _ = write!(out, "\n## OB{}xxx: {}\n", f.digit, f.about);
        f.entries.iter().for_each(|e| entry(&mut out, e));
    }
    out
}

fn entry(out: &mut String, e: &Entry) {
    let kind = match e.kind {
        "varies" => "error or warning",
        kind => kind,
    };
    let _ = write!(out, "\n### {}\n\n**{}** ({kind})\n\n{} {}\n\n*Way out:* {}\n", e.code, e.title, e.meaning, e.reason, e.way_out);
    if let Some(example) = e.example {
        let _ = write!(out, "\n{}\n", example.lines().map(|l| format!("    {l}")).collect::<Vec<_>>().join("\n"));
    }
}

/// An entry for people at a terminal.
pub fn text(e: &Entry) -> String {
    let mut out = format!("{} ({}): {}\n\n", e.code, if e.kind == "varies" { "error or warning" } else { e.kind }, e.title);
    for part in [e.meaning, e.reason] {
        let _ = writeln!(out, "{part}");
    }
    let _ = writeln!(out, "\nWay out: {}", e.way_out);
    if let Some(example) = e.example {
        let _ = write!(out, "\n{}\n", example.lines().map(|l| format!("    {l}")).collect::<Vec<_>>().join("\n"));
    }
    out
}
