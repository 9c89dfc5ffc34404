//! Both texts, side by side: each part of the source beside the derivative code that stands behind it in the generated file.
//!
//! Lives here: rows, lines and their links. Never here: what is said of lines.

use super::documents::Place;
use super::markup::{code, escape, ranges};
use super::material::Material;
use super::remarks::Remarks;
use super::syntax::Colours;
use std::collections::BTreeMap;
use std::fmt::Write;
use xaif::lined::Origin;
use xaif::model::{Mode, UnitId};

/// Which lines belong together. Lines of the generated file count from 1.
#[derive(Default)]
pub struct Links {
    /// The generated lines of each line.
    to: BTreeMap<Place, Vec<usize>>,
    /// The line of each generated line.
    from: Vec<Option<Place>>,
}

impl Links {
    /// The links of a page.
    pub fn of(m: &Material) -> Links {
        let mut links = Links::default();
        for (k, origin) in m.generated.origins.iter().enumerate() {
            let place = match origin {
                Origin::Made { place, .. } => m.documents.place(*place),
                Origin::Copied(..) => None,
            };
            if let Some(p) = place {
                links.to.entry(p).or_default().push(k + 1);
            }
            links.from.push(place);
        }
        links
    }
}

/// A part of the source, and what stands behind it.
#[derive(Default)]
struct Row {
    left: Vec<Place>,
    right: Vec<usize>,
}

fn rows(m: &Material) -> Vec<Row> {
    let mut rows = vec![Row::default()];
    let copied = |o: &Origin| matches!(o, Origin::Copied(..));
    if !m.generated.origins.iter().any(copied) {
        let texts = m.documents.list.iter().enumerate();
        let left = texts.flat_map(|(t, d)| (1..=d.text.lines().count()).map(move |line| Place { text: t + 1, line })).collect();
        return vec![Row { left, right: (1..=m.generated.origins.len()).collect() }];
    }
    for (k, origin) in m.generated.origins.iter().enumerate() {
        if let Origin::Copied(source, line) = origin {
            let Some(text) = m.documents.list.iter().position(|d| d.source == source.0) else { continue };
            if rows.last().is_some_and(|r| !r.right.is_empty()) {
                rows.push(Row::default());
            }
            if let Some(row) = rows.last_mut() {
                row.left.push(Place { text: text + 1, line: *line as usize });
            }
        } else if let Some(row) = rows.last_mut() {
            row.right.push(k + 1);
        }
    }
    rows
}

const LEGEND: [(&str, &str, &str); 7] = [
    ("active", "A", "active: depends on an independent and influences a dependent"),
    ("varied", "v", "varied only: depends on an independent"),
    ("useful", "u", "useful only: influences a dependent"),
    ("recorded", "R", "recorded: a value is kept here for the reverse sweep"),
    ("again", "C", "computed again for the reverse sweep"),
    ("doubtful", "!", "the certificate has something against it"),
    ("", "", "no letter: passive"),
];

/// The section.
pub fn section(o: &mut String, m: &Material, remarks: &Remarks, links: &Links) {
    o.push_str("<section id=\"code\">\n<h2>Source and derivative code</h2>\n<dl class=\"legend\">\n");
    for (class, letter, meaning) in LEGEND {
        let _ = writeln!(o, "<div><dt class=\"{class}\"><span class=\"m\">{letter}</span></dt><dd>{meaning}</dd></div>");
    }
    o.push_str("</dl>\n<p class=\"hint\">The number of a line leads to the other side; beside generated lines stands the number of the line that they were made for. ");
    o.push_str(
        "<span class=\"scripted\">Click a line, or move with the arrow keys, to see what belongs to it; Escape lets go.</span></p>\n",
    );
    let copied = m.generated.origins.iter().any(|o| matches!(o, Origin::Copied(..)));
    let but = if copied { ", without the lines that it has from the source" } else { "" };
    let language = escape(m.generated.language);
    let _ = writeln!(o, "<div class=\"row heads\"><h3>Source</h3><h3>Derivative code in {language}{but}</h3></div>");
    let sources: Vec<Vec<&str>> = m.documents.list.iter().map(|d| d.text.lines().collect()).collect();
    let made: Vec<&str> = m.generated.text.lines().collect();
    let mut shown = 0;
    let mut unit = None;
    let mut left = Colours::default();
    let mut right = Colours::of(&m.generated.language.to_ascii_lowercase());
    for row in rows(m) {
        o.push_str("<div class=\"row\">\n<div class=\"left\"><div class=\"lines\">\n");
        for p in row.left {
            if p.text != shown {
                shown = p.text;
                let file = m.documents.list.get(p.text - 1).map_or("", |d| d.file.as_str());
                left = Colours::of(file.rsplit('.').next().unwrap_or_default());
                let _ = writeln!(o, "<h4 class=\"file\"><code>{}</code></h4>", code(file));
            }
            let text = sources.get(p.text - 1).and_then(|l| l.get(p.line - 1)).copied().unwrap_or_default();
            match m.documents.begins(p) {
                Some(first) => continued_line(o, p, first, &left.line(text), remarks),
                None => source_line(o, p, &left.line(text), remarks, links),
            }
        }
        o.push_str("</div></div>\n<div class=\"right\"><div class=\"lines\">\n");
        for k in row.right {
            heading(o, m, k, &mut unit);
            made_line(o, k, &right.line(made.get(k - 1).copied().unwrap_or_default()), links);
        }
        o.push_str("</div></div>\n</div>\n");
    }
    o.push_str("</section>\n");
}

/// A line whose text is HTML already.
fn source_line(o: &mut String, p: Place, text: &str, remarks: &Remarks, links: &Links) {
    let remark = remarks.get(&p);
    let to = links.to.get(&p).map_or(&[][..], Vec::as_slice);
    let id = p.id();
    let _ = write!(o, "<div class=\"l src{}\" id=\"{id}\"", remark.map(|r| r.classes()).unwrap_or_default());
    if !to.is_empty() {
        let _ = write!(o, " data-d=\"{}\"", ranges(to));
    }
    let href = to.first().map_or(id, |d| format!("d{d}"));
    let letters = remark.map(|r| r.letters()).unwrap_or_default();
    let _ = write!(o, "><a class=\"n\" href=\"#{href}\">{}</a><span class=\"m\">{letters}</span><code>{}</code>", p.line, text);
    let says = remark.map_or(&[][..], |r| &r.says);
    if !says.is_empty() || !to.is_empty() {
        o.push_str("<div class=\"x\">");
        for s in says {
            let _ = write!(o, "<p>{s}</p>");
        }
        if !to.is_empty() {
            o.push_str("<p>derivative code: ");
            for (k, r) in ranges(to).split(' ').enumerate() {
                let first = r.split('-').next().unwrap_or_default();
                let _ = write!(o, "{}<a href=\"#d{first}\">{r}</a>", if k > 0 { ", " } else { "" });
            }
            o.push_str("</p>");
        }
        o.push_str("</div>");
    }
    o.push_str("</div>\n");
}

/// A line on which a statement goes on: what there is to say stands at its first.
fn continued_line(o: &mut String, p: Place, first: Place, text: &str, remarks: &Remarks) {
    let classes = remarks.get(&first).map(|r| r.classes()).unwrap_or_default();
    let (id, first) = (p.id(), first.id());
    let _ = writeln!(
        o,
        "<div class=\"l src{classes}\" id=\"{id}\" data-c=\"{first}\"><a class=\"n\" href=\"#{first}\">{}</a><span class=\"m\"></span><code>{}</code></div>",
        p.line, text
    );
}

fn made_line(o: &mut String, k: usize, text: &str, links: &Links) {
    match links.from.get(k - 1).copied().flatten() {
        Some(p) => {
            let id = p.id();
            let _ = writeln!(
                o,
                "<div class=\"l drv\" id=\"d{k}\" data-s=\"{id}\"><a class=\"n\" href=\"#{id}\">{k}</a><span class=\"m\">{}</span><code>{}</code></div>",
                p.line, text
            );
        }
        None => {
            let _ = writeln!(
                o,
                "<div class=\"l drv own\" id=\"d{k}\"><span class=\"n\">{k}</span><span class=\"m\"></span><code>{}</code></div>",
                text
            );
        }
    }
}

/// The name of the unit over its first line.
fn heading(o: &mut String, m: &Material, k: usize, current: &mut Option<UnitId>) {
    let Some(Origin::Made { unit: Some(unit), .. }) = m.generated.origins.get(k - 1) else { return };
    if current.replace(*unit) == Some(*unit) {
        return;
    }
    let Some(u) = m.program.units.get(unit.index()) else { return };
    let name = code(m.program.unit_name(*unit));
    let said = match u.derivation {
        Some(d) => format!("{} <code>{name}</code> of <code>{}</code>", mode(d.mode), code(m.program.unit_name(d.of))),
        None => format!("<code>{name}</code>"),
    };
    let _ = writeln!(o, "<h4 class=\"unit\" data-unit=\"{name}\">{said}</h4>");
}

/// What a derivative unit is, in words.
pub fn mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Tangent => "tangent",
        Mode::Adjoint => "adjoint",
        Mode::Forward => "forward sweep",
        Mode::Reverse => "reverse sweep",
    }
}
