//! The report as XML, valid against `schema/xsd/batch.xsd`.
//!
//! Lives here: which element says what. Never here: XML text, which the format's writer makes.

use super::data::Report;
use crate::batch::outcome::Outcome;
use serde_json::Value as Json;
use xaif::write::tree::{Element, document};

/// The report as XML.
pub fn xml(r: &Report) -> String {
    let mut root = Element::new("batch")
        .with("xmlns", "urn:overbar:batch:1")
        .with("tool", &r.tool)
        .with("plan", &r.plan)
        .with("total", r.total)
        .with("jobs", r.jobs)
        .with("seconds", seconds(r.seconds));
    if let Some(shard) = &r.shard {
        root = root.with("shard", shard);
    }
    root.children = r.items.iter().map(item).collect();
    document(&root)
}

fn seconds(s: f64) -> String {
    format!("{s:.6}")
}

fn item(o: &Outcome) -> Element {
    let mut e = Element::new("item").with("output", &o.output).with("status", o.status.word());
    if let Some(stage) = o.stage {
        e = e.with("stage", stage.word());
    }
    e = e.with("key", &o.key).with("inputBytes", o.input_bytes).with("seconds", seconds(o.seconds)).with("resumed", o.resumed);
    if let Some(c) = &o.content {
        e = e.with("outputBytes", c.bytes).with("outputHash", &c.hash);
    }
    if let Some(verdict) = &o.verdict {
        e = e.with("verdict", verdict);
    }
    e.children.extend(o.inputs.iter().map(|i| Element::new("input").text(i)));
    e.children.extend(o.diagnostics.iter().map(diagnostic));
    e
}

/// A diagnostic.
fn diagnostic(d: &Json) -> Element {
    let text = |key: &str| d[key].as_str().unwrap_or_default();
    let mut e = Element::new("diagnostic").with("code", text("code")).with("severity", text("severity"));
    let l = &d["location"];
    if let Some(file) = l["file"].as_str() {
        e = e.with("file", file);
        for (name, key) in [("line", "line"), ("column", "column"), ("endLine", "end_line"), ("endColumn", "end_column")] {
            e = e.with(name, &l[key]);
        }
    }
    e = e.child(Element::new("message").text(text("message")));
    for key in ["reason", "help"] {
        if let Some(said) = d[key].as_str() {
            e = e.child(Element::new(if key == "help" { "help" } else { "reason" }).text(said));
        }
    }
    e
}
