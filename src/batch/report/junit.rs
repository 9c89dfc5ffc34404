//! The report as JUnit XML, as build servers read it.
//!
//! Lives here: which element says what. Never here: XML text, which the format's writer makes.

use super::data::Report;
use crate::batch::outcome::{Outcome, Status};
use xaif::write::tree::{Element, document};

/// The report as JUnit XML.
pub fn xml(r: &Report) -> String {
    let number = |f: fn(&Outcome) -> bool| r.items.iter().filter(|i| f(i)).count();
    let name = r.shard.as_ref().map_or("overbar batch".to_owned(), |s| format!("overbar batch {s}"));
    let mut suite = Element::new("testsuite")
        .with("name", &name)
        .with("tests", r.items.len())
        .with("failures", number(|i| i.status == Status::Refused))
        .with("errors", number(|i| i.status == Status::Panicked))
        .with("skipped", number(|i| matches!(i.status, Status::Nothing | Status::Unstarted)))
        .with("time", format!("{:.3}", r.seconds));
    suite.children = r.items.iter().map(case).collect();
    document(&Element::new("testsuites").child(suite))
}

fn case(o: &Outcome) -> Element {
    let (folder, name) = o.output.rsplit_once('/').unwrap_or(("", &o.output));
    let class = if folder.is_empty() { "batch".to_owned() } else { folder.replace('/', ".") };
    let e = Element::new("testcase").with("classname", class).with("name", name).with("time", format!("{:.3}", o.seconds));
    let codes = o.codes();
    let code = codes.first().copied().unwrap_or_default();
    let why = o.complaint().unwrap_or_default();
    match o.status {
        Status::Done => e,
        Status::Nothing => e.child(Element::new("skipped").with("message", "nothing to differentiate")),
        Status::Unstarted => e.child(Element::new("skipped").with("message", "not started")),
        Status::Refused => e.child(Element::new("failure").with("type", code).with("message", &why).text(text(o))),
        Status::Panicked => e.child(Element::new("error").with("type", code).with("message", &why).text(text(o))),
    }
}

/// All diagnostics, one a line.
fn text(o: &Outcome) -> String {
    let line = |d: &serde_json::Value| {
        let l = &d["location"];
        let place = l["file"].as_str().map(|f| format!("{f}:{}:{}: ", l["line"], l["column"])).unwrap_or_default();
        let word = |k: &str| d[k].as_str().unwrap_or_default().to_owned();
        format!("{place}{}[{}]: {}", word("severity"), word("code"), word("message"))
    };
    o.diagnostics.iter().map(line).collect::<Vec<_>>().join("\n")
}
