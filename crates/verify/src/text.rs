//! The certificate as text for people.
//!
//! Lives here: layout. Never here: anything that the data does not say.

use super::certificate::{Certificate, Place, Report, Verdict};
use std::fmt::Write;

/// The certificate as text.
pub fn text(c: &Certificate) -> String {
    let mut out = String::new();
    for h in &c.heads {
        report(&mut out, h);
    }
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{}, seed {}", c.tool, c.seed);
    for (what, hash) in [("input", &c.input), ("request", &c.request), ("generated code", &c.generated)] {
        let _ = writeln!(out, "sha256 of the {what}: {hash}");
    }
    out
}

fn place(out: &mut String, what: &str, p: &Place) {
    let _ = writeln!(out, "  {what} {}: {}", p.spoken(), p.message);
    if !p.statement.is_empty() {
        let _ = writeln!(out, "      {}", p.statement);
    }
    if !p.units.is_empty() {
        let _ = writeln!(out, "      in {}", p.units.join(", called by "));
    }
}

fn report(out: &mut String, h: &Report) {
    let mark = match h.verdict {
        Verdict::Pass => "pass",
        Verdict::Kink => "KINK",
        Verdict::NotReached => "NOT REACHED",
        Verdict::NotCertified => "NOT CERTIFIED",
        Verdict::Wrong => "WRONG",
    };
    let points = match h.points.len() {
        1 => format!("{} point", h.origin),
        n => format!("{n} {} points", h.origin),
    };
    let _ = writeln!(out, "{mark}  {}  ({points}, {})", h.head, h.engines.join(" and "));
    if let Some(why) = &h.reason {
        let _ = writeln!(out, "  {why}");
    }
    if let Some(p) = &h.blame {
        place(out, "first wrong:", p);
    }
    for p in &h.kinks {
        place(out, "kink at", p);
    }
    if let Some(o) = &h.one_sided {
        let _ = writeln!(
            out,
            "      slopes of {}: {:.6e} on one side, {:.6e} on the other; the derivative is {:.6e}",
            o.output, o.left, o.right, o.derivative
        );
    }
    for c in &h.checks {
        let state = match (c.passed, c.compared) {
            (false, _) => "FAILED",
            (true, 0) if c.undefined > 0 => "none",
            (true, 0) => "nothing",
            _ => "ok",
        };
        let detail = if c.detail.is_empty() { String::new() } else { format!("  {}", c.detail) };
        let _ = writeln!(
            out,
            "  {:12} {:28} {state:7} {:6} compared, worst {:.1e} of tolerance{detail}",
            c.engine, c.name, c.compared, c.worst
        );
    }
    if !h.unreached.is_empty() {
        let _ = writeln!(out, "  reached at no point, so not checked: {}", h.unreached.join(", "));
    }
    for (k, p) in h.points.iter().enumerate() {
        let _ = writeln!(out, "  point {}: {}", k + 1, short(p));
    }
    for n in &h.notes {
        let _ = writeln!(out, "  {n}");
    }
}

/// A point on one line, as `--input` takes it; the other formats have all of it.
fn short(point: &serde_json::Value) -> String {
    let text = format!("{{\"args\":{point}}}");
    if text.chars().count() > 160 { format!("{}...", text.chars().take(157).collect::<String>()) } else { text }
}
