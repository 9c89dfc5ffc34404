//! The page about a program that `overbar report` writes: source and derivative code side by side with what was found and decided, in one HTML file that
//! needs nothing else.
//!
//! * [`material`]: what is told
//! * [`documents`]: the texts that are shown on the left, and where places lie in them
//! * [`remarks`]: what is known of each line of them
//! * [`listing`]: both texts with their links
//! * [`xaif_text`]: origins of the lines of an XAIF document
//! * [`graphs`], [`tables`], [`certificate`]: the other sections
//! * [`markup`]: text as HTML; [`syntax`]: code with colours
//!
//! The page is well-formed XML too, has no external parts, and its script only links, sorts and shows what the HTML holds already.
//!
//! Lives here: the way from facts, statistics, decisions, drawings and certificates to HTML. Never here: how any of them is found, files.

mod certificate;
pub mod documents;
pub mod graphs;
mod listing;
mod markup;
mod material;
mod remarks;
mod syntax;
mod tables;
pub mod xaif_text;

use base64::Engine;
use markup::{code, escape};
pub use material::{Checked, Generated, Material};
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// What all pages look like.
pub const BASE: &str = include_str!("base.css");
const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// The page.
pub fn page(m: &Material) -> String {
    let remarks = remarks::of(m);
    let links = listing::Links::of(m);
    let names: Vec<&str> = m.documents.list.iter().map(|d| d.file.as_str()).collect();
    let title = format!("{} — Overbar report", names.join(", "));
    let hash = base64::engine::general_purpose::STANDARD.encode(Sha256::digest(SCRIPT.as_bytes()));
    let mut o = String::new();
    // Writing to a string cannot fail.
    let _ = write!(
        o,
        "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{hash}'\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<meta name=\"color-scheme\" content=\"light dark\"/>\n\
         <title>{}</title>\n<style>\n{BASE}{STYLE}</style>\n</head>\n<body>\n<header>\n<h1>{} {}</h1>\n",
        escape(&title),
        names.iter().map(|n| format!("<code>{}</code>", code(n))).collect::<Vec<_>>().join(", "),
        certificate::badge(m),
    );
    let _ = writeln!(o, "<p class=\"made\">{}</p>", escape(&m.program.provenance));
    o.push_str(
        "<nav aria-label=\"Sections\"><a href=\"#summary\">Summary</a> <a href=\"#code\">Code</a> <a href=\"#records\">Records</a> ",
    );
    o.push_str("<a href=\"#elimination\">Elimination</a> <a href=\"#units\">Units</a> <a href=\"#graphs\">Graphs</a> ");
    o.push_str("<a href=\"#certificate\">Certificate</a> <a href=\"#remarks\">Remarks</a></nav>\n</header>\n<main>\n");
    tables::summary(&mut o, m, &remarks);
    listing::section(&mut o, m, &remarks, &links);
    tables::records(&mut o, m);
    tables::elimination(&mut o, m);
    tables::units(&mut o, m);
    graphs::section(&mut o, &m.drawings);
    certificate::section(&mut o, m);
    tables::diagnostics(&mut o, m);
    o.push_str("</main>\n<aside id=\"panel\" hidden=\"hidden\" aria-label=\"About the line\">\n<div id=\"says\" aria-live=\"polite\"></div>\n</aside>\n");
    let _ = write!(o, "<script>{SCRIPT}</script>\n</body>\n</html>\n");
    o
}

#[cfg(test)]
mod tests {
    #[test]
    fn script_and_style_need_no_escapes_in_html_and_in_xml() {
        for text in [super::SCRIPT, super::BASE, super::STYLE] {
            assert!(!text.contains(['<', '&']) && !text.contains("]]>") && !text.contains('\r'));
            assert!(!text.contains("http") && !text.contains("url("));
        }
    }
}
