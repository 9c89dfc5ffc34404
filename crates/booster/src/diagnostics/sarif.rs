//! Diagnostics as SARIF 2.1.0, the form that code scanners and editors read.
//!
//! Lives here: which member says what; the rules are the table's entries. Never here: the texts.

use super::{Outcome, find};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use xaif::diagnostic::Location;
use xaif::{Diagnostic, Severity};

/// The log of one run. `version` is that of the tool.
pub fn sarif(version: &str, outcome: Outcome, found: &[Diagnostic]) -> Value {
    let mut rules: BTreeMap<&str, usize> = found.iter().map(|d| (d.code, 0)).collect();
    rules.values_mut().enumerate().for_each(|(k, index)| *index = k);
    let results: Vec<Value> = found.iter().map(|d| result(d, rules.get(d.code).copied().unwrap_or_default())).collect();
    let rules: Vec<Value> = rules.keys().map(|code| rule(code)).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "Overbar", "semanticVersion": version, "rules": rules } },
            "invocations": [{ "executionSuccessful": outcome == Outcome::Done }],
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn level(s: Severity) -> &'static str {
    super::xml::severity(s)
}

fn rule(code: &str) -> Value {
    let Some(e) = find(code) else { return json!({ "id": code }) };
    let usual = if matches!(e.kind, "error" | "warning" | "note") { e.kind } else { "warning" };
    json!({
        "id": code,
        "shortDescription": { "text": e.title },
        "fullDescription": { "text": format!("{} {}", e.meaning, e.reason) },
        "help": { "text": e.way_out },
        "defaultConfiguration": { "level": usual },
    })
}

fn result(d: &Diagnostic, rule: usize) -> Value {
    let mut text = d.message.clone();
    if let Some(reason) = &d.reason {
        text = format!("{text} ({reason})");
    }
    if let Some(help) = &d.help {
        text = format!("{text}\n{help}");
    }
    let mut out = json!({ "ruleId": d.code, "ruleIndex": rule, "level": level(d.severity), "message": { "text": text } });
    if let Some(l) = &d.location {
        out["locations"] = json!([{ "physicalLocation": physical(l) }]);
    }
    out
}

/// Lines and columns of SARIF count from 1; what has no line has no region.
fn physical(l: &Location) -> Value {
    let mut out = json!({ "artifactLocation": { "uri": uri(&l.file) } });
    if l.line > 0 && l.column > 0 {
        out["region"] = json!({
            "startLine": l.line,
            "startColumn": l.column,
            "endLine": l.end_line.max(l.line),
            "endColumn": if l.end_line > l.line { l.end_column.max(1) } else { l.end_column.max(l.column) },
        });
    }
    out
}

/// A file name as a relative or absolute URI reference.
fn uri(file: &str) -> String {
    let mut out = String::with_capacity(file.len());
    for b in file.bytes() {
        if b.is_ascii_alphanumeric() || b"-._~/".contains(&b) {
            out.push(char::from(b));
        } else {
            out.push_str(&format!("%{b:02X}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_point_to_their_rules_and_places() {
        let place = Location { file: "a b/é.c".into(), line: 3, column: 4, end_line: 3, end_column: 9 };
        let found =
            [Diagnostic::error("OB4003", "m").at(place).help("h"), Diagnostic::warning("OB0101", "n"), Diagnostic::error("OB4003", "o")];
        let log = sarif("0.1.0", Outcome::Refused, &found);
        let run = &log["runs"][0];
        for r in run["results"].as_array().unwrap() {
            let index = r["ruleIndex"].as_u64().unwrap() as usize;
            assert_eq!(run["tool"]["driver"]["rules"][index]["id"], r["ruleId"]);
        }
        assert_eq!(run["tool"]["driver"]["rules"].as_array().unwrap().len(), 2);
        let place = &run["results"][0]["locations"][0]["physicalLocation"];
        assert_eq!((&place["artifactLocation"]["uri"], &place["region"]["endColumn"]), (&json!("a%20b/%C3%A9.c"), &json!(9)));
        assert_eq!(run["invocations"][0]["executionSuccessful"], false);
    }
}
