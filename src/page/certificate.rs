//! The certificate on the page. Never here: how it is obtained.

use super::markup::{Cell, code, end_table, escape, row, table};
use super::material::{Checked, Material};
use super::tables;
use overbar::verify::certificate::{Place, Report};
use std::fmt::Write;

/// The verdict, for the top of the page.
pub fn badge(m: &Material) -> String {
    let (class, word) = match &m.checked {
        Checked::Unasked => ("hint", "not checked"),
        Checked::Refused(_) => ("kink", "cannot be checked"),
        Checked::Certificate(c) => c.verdict().map_or(("hint", "nothing was checked"), |v| (v.word(), v.word())),
    };
    format!("<a class=\"badge {class}\" href=\"#certificate\">{word}</a>")
}

/// The section.
pub fn section(o: &mut String, m: &Material) {
    o.push_str("<section id=\"certificate\">\n<h2>Certificate</h2>\n");
    match &m.checked {
        Checked::Unasked => o.push_str("<p>The derivatives were not checked.</p>\n"),
        Checked::Refused(why) => {
            o.push_str("<p>The derivatives could not be checked:</p>\n<ul>\n");
            why.iter().for_each(|d| tables::diagnostic(o, m, d));
            o.push_str("</ul>\n");
        }
        Checked::Certificate(c) => {
            c.heads.iter().for_each(|h| head(o, m, h));
            o.push_str("<table class=\"facts\"><tbody>\n");
            let hashes = [
                ("SHA-256 of the input", &c.input),
                ("SHA-256 of the request", &c.request),
                ("SHA-256 of the generated code", &c.generated),
            ];
            let _ = writeln!(o, "<tr><th scope=\"row\">Made by</th><td>{}, seed {}</td></tr>", escape(&c.tool), c.seed);
            for (name, hash) in hashes {
                let _ = writeln!(o, "<tr><th scope=\"row\">{name}</th><td><code class=\"hash\">{}</code></td></tr>", escape(hash));
            }
            o.push_str("</tbody></table>\n");
        }
    }
    o.push_str("</section>\n");
}

fn head(o: &mut String, m: &Material, h: &Report) {
    let word = h.verdict.word();
    let _ = writeln!(o, "<h3><span class=\"verdict {word}\">{word}</span> <code>{}</code></h3>", code(&h.head));
    let points = if h.points.len() == 1 { "point" } else { "points" };
    let _ = writeln!(o, "<p>{} {points}, {}; run in the {}.</p>", h.points.len(), escape(h.origin), escape(&h.engines.join(" and ")));
    for (what, p) in h.blame.iter().map(|p| ("First wrong", p)).chain(h.kinks.iter().map(|p| ("Not smooth", p))) {
        place(o, m, what, p);
    }
    if let Some(s) = &h.one_sided {
        let _ = writeln!(
            o,
            "<p>Slopes of <code>{}</code>: {:.6e} on one side, {:.6e} on the other; the derivative is {:.6e}.</p>",
            code(&s.output),
            s.left,
            s.right,
            s.derivative
        );
    }
    table(o, "Comparisons", &["engine", "check", "result", "#compared", "#worst, of the tolerance", "remark"]);
    for c in &h.checks {
        let result = match (c.passed, c.compared) {
            (false, _) => "failed",
            (true, 0) => "nothing to compare",
            _ => "ok",
        };
        let (engine, name) = (Cell::Text(c.engine.into()), Cell::Text(c.name.into()));
        row(
            o,
            &[engine, name, Cell::Text(result.into()), Cell::Number(c.compared as u64), Cell::Real(c.worst), Cell::Text(c.detail.clone())],
        );
    }
    end_table(o);
    if !h.unreached.is_empty() {
        let _ = writeln!(o, "<p>Reached at no point, so not checked: <code>{}</code></p>", code(&h.unreached.join(", ")));
    }
    if !h.points.is_empty() {
        o.push_str("<details><summary>Points</summary>\n<ol>\n");
        for p in &h.points {
            let _ = writeln!(o, "<li><code>{}</code></li>", code(&p.to_string()));
        }
        o.push_str("</ol></details>\n");
    }
    if !h.notes.is_empty() {
        o.push_str("<ul>\n");
        h.notes.iter().for_each(|n| tables::diagnostic(o, m, n));
        o.push_str("</ul>\n");
    }
}

fn place(o: &mut String, m: &Material, what: &str, p: &Place) {
    let unit = p.units.first().map_or("", String::as_str);
    let spoken = code(&p.spoken());
    let found = p.location.as_ref().and_then(|l| m.documents.lines(&l.file, l.line, unit).first().copied());
    let link = match found {
        Some(f) => format!("<a href=\"#{}\"><code>{spoken}</code></a>", f.id()),
        None => format!("<code>{spoken}</code>"),
    };
    let _ = writeln!(o, "<p>{what} {link}: {} <code>{}</code></p>", escape(&p.message), code(&p.statement));
}
