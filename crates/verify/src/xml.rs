//! The certificate as XML, valid against `schema/xsd/certificate.xsd`.
//!
//! Lives here: which element says what. Never here: XML text, which the format's writer makes.

use super::certificate::{Certificate, Place, Report, Verdict};
use xaif::write::tree::{Element, document};

/// The certificate as XML.
pub fn xml(c: &Certificate) -> String {
    let mut root = Element::new("certificate")
        .with("xmlns", "urn:overbar:certificate:1")
        .with("tool", &c.tool)
        .with("verdict", c.verdict().map_or("", Verdict::word))
        .with("seed", c.seed)
        .with("input", &c.input)
        .with("request", &c.request)
        .with("generated", &c.generated);
    root.children = c.heads.iter().map(report).collect();
    document(&root)
}

fn real(x: f64) -> String {
    if x.is_nan() {
        "nan".into()
    } else if x.is_infinite() {
        if x > 0.0 { "inf".into() } else { "-inf".into() }
    } else {
        format!("{x:.16e}")
    }
}

fn report(h: &Report) -> Element {
    let mut e = Element::new("head").with("head", &h.head).with("verdict", h.verdict.word());
    e.children.extend(h.engines.iter().map(|n| Element::new("engine").text(*n)));
    for p in &h.points {
        let point = Element::new("point").with("origin", h.origin).with("rejected", h.rejected);
        e.children.push(point.text(serde_json::to_string(p).unwrap_or_default()));
    }
    e.children.extend(h.reason.iter().map(|r| Element::new("reason").text(r)));
    e.children.extend(h.unreached.iter().map(|u| Element::new("unreached").text(u)));
    for c in &h.checks {
        let check = Element::new("check").with("name", c.name).with("engine", c.engine).with("passed", c.passed);
        let check = check.with("compared", c.compared);
        let check = if c.undefined > 0 { check.with("undefined", c.undefined) } else { check };
        e.children.push(check.with("worst", real(c.worst)).text(&c.detail));
    }
    e.children.extend(h.kinks.iter().map(|p| place("kink", p)));
    if let Some(o) = &h.one_sided {
        let slopes = Element::new("slopes").with("output", &o.output).with("left", real(o.left)).with("right", real(o.right));
        e.children.push(slopes.with("derivative", real(o.derivative)));
    }
    e.children.extend(h.blame.iter().map(|p| place("wrong", p)));
    e.children.extend(h.notes.iter().map(|n| Element::new("note").with("code", n.code).text(&n.message)));
    e
}

fn place(name: &'static str, p: &Place) -> Element {
    let mut e = Element::new(name);
    if let Some(l) = &p.location {
        e = e.with("file", &l.file).with("line", l.line).with("column", l.column);
    }
    e.children.extend(p.units.iter().map(|u| Element::new("unit").text(u)));
    if !p.statement.is_empty() {
        e = e.child(Element::new("statement").text(&p.statement));
    }
    e.child(Element::new("message").text(&p.message))
}
