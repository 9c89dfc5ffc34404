//! Manifests in XML, valid against `schema/xsd/manifest.xsd`.
//!
//! Lives here: which element says what, once the schema has been checked. Never here: the rules of the schema, what options mean.

use super::{Entry, Manifest};
use crate::batch::settings::Settings;
use roxmltree::{Document, Node};
use xaif::Diagnostic;
use xaif::read::Limits;

/// A manifest is small; a larger document is none.
const LIMITS: Limits = Limits { bytes: 64 << 20, depth: 16, attributes: 8, token: 1 << 16, elements: 1 << 20 };

/// Reads one.
///
/// # Errors
/// What XML or the schema has against it.
pub fn read(name: &str, text: &str) -> Result<Manifest, Vec<Diagnostic>> {
    let found = xaif::validate::schema_within(name, text.as_bytes(), &LIMITS);
    if found.iter().any(Diagnostic::is_error) {
        return Err(found);
    }
    let document = Document::parse(text).map_err(|e| vec![super::problem(name, e.pos().row, e.pos().col, &e.to_string(), "")])?;
    let root = document.root_element();
    if root.tag_name().name() != "manifest" {
        let message = format!("the root element is {}, not manifest", root.tag_name().name());
        return Err(vec![super::problem(name, 1, 1, &message, "a manifest is in the namespace urn:overbar:manifest:1")]);
    }
    let mut out = Manifest::default();
    for e in root.children().filter(Node::is_element) {
        match e.tag_name().name() {
            "defaults" => out.defaults = settings(&document, e),
            _ => out.items.push(entry(&document, e)),
        }
    }
    Ok(out)
}

fn line(document: &Document, e: Node) -> u32 {
    document.text_pos_at(e.range().start).row
}

fn entry(document: &Document, e: Node) -> Entry {
    let texts = |name: &str| -> Vec<String> {
        let named = e.children().filter(|c| c.has_tag_name(("urn:overbar:manifest:1", name)));
        named.map(|c| c.text().unwrap_or_default().trim().to_owned()).collect()
    };
    Entry {
        line: line(document, e),
        inputs: texts("input"),
        files: texts("file"),
        output: e.attribute("output").map(str::to_owned),
        settings: settings(document, e),
    }
}

fn settings(document: &Document, e: Node) -> Settings {
    let mut out = Settings::default();
    for option in e.children().filter(|c| c.tag_name().name() == "option") {
        let name = option.attribute("name").unwrap_or_default();
        let line = line(document, option);
        match option.attribute("value") {
            None => out.switch(name, true, line),
            Some(word @ ("true" | "false")) => out.switch(name, word == "true", line),
            Some(value) => out.add(name, value.to_owned(), line),
        }
    }
    out
}
