//! Documents with something changed: no panic, no hang, and nothing that our schema check and xmllint judge differently.
mod common;

use common::random::Random;
use std::process::Command;
use std::time::{Duration, Instant};
use xaif::read::{Limits, read};
use xaif::validate;
use xaif::write::write;

/// Real files where they are, else documents of our own.
fn originals() -> Vec<String> {
    let mut out: Vec<String> = common::documents("examples").into_iter().map(|(_, b)| String::from_utf8(b).unwrap()).collect();
    out.retain(|t| t.contains("CallGraph"));
    out.extend((0..6).map(|seed| write(&Random(seed).program())));
    out
}

/// Reads, validates and writes whatever it is given.
fn survive(document: &[u8]) {
    let start = Instant::now();
    let found = validate::document("m.xaif", document, &Limits::default());
    for d in &found {
        assert!(d.code.starts_with("OB1") && !d.message.is_empty());
    }
    if let Ok((program, _)) = read("m.xaif", document, &Limits::default()) {
        let text = write(&program);
        let again = read("m.xaif", text.as_bytes(), &Limits::default());
        assert!(again.is_ok(), "{}\n{}", again.unwrap_err()[0], String::from_utf8_lossy(document));
    }
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn flipped_bytes() {
    let mut r = Random(1);
    for text in originals() {
        for _ in 0..60 {
            let mut bytes = text.clone().into_bytes();
            for _ in 0..1 + r.below(3) {
                let at = r.below(bytes.len());
                bytes[at] = match r.below(4) {
                    0 => r.next() as u8,
                    1 => r.pick(b"<>\"'&/=: \n"),
                    2 => bytes[at] ^ (1 << r.below(8)),
                    _ => r.pick(b"0123456789ax"),
                };
            }
            survive(&bytes);
        }
    }
}

#[test]
fn cut_and_spliced_texts() {
    let mut r = Random(2);
    for text in originals() {
        for _ in 0..20 {
            let bytes = text.as_bytes();
            let (a, b) = (r.below(bytes.len()), r.below(bytes.len()));
            let (a, b) = (a.min(b), a.max(b));
            survive(&bytes[..a]);
            survive(&[&bytes[..a], &bytes[b..]].concat());
            survive(&[&bytes[..b], &bytes[a..]].concat());
        }
    }
}

/// Start and end of each element, in document order.
fn elements(text: &str) -> Vec<std::ops::Range<usize>> {
    let document = roxmltree::Document::parse(text).unwrap();
    document.root_element().descendants().filter(|n| n.is_element() && *n != document.root_element()).map(|n| n.range()).collect()
}

/// A document with one element dropped, doubled or swapped with another, or one attribute dropped or changed.
fn mutant(text: &str, r: &mut Random) -> String {
    let all = elements(text);
    let e = r.pick(&all);
    let inner = &text[e.clone()];
    let mut attributes = Vec::new();
    let tag_end = inner.find('>').unwrap();
    let mut at = 0;
    while let Some(open) = inner[at..tag_end].find("=\"") {
        let name = inner[..at + open].rfind(' ').unwrap();
        let end = at + open + 2 + inner[at + open + 2..].find('"').unwrap();
        attributes.push((name, at + open + 2, end));
        at = end + 1;
        if at >= tag_end {
            break;
        }
    }
    let replaced = |range: std::ops::Range<usize>, by: &str| format!("{}{by}{}", &text[..range.start], &text[range.end..]);
    match r.below(5) {
        0 => replaced(e, ""),
        1 => replaced(e.end..e.end, inner),
        2 => {
            let f = r.pick(&all);
            if f.start >= e.end {
                format!("{}{}{}{}{}", &text[..e.start], &text[f.clone()], &text[e.end..f.start], inner, &text[f.end..])
            } else {
                replaced(e, "")
            }
        }
        3 if !attributes.is_empty() => {
            let (name, _, end) = r.pick(&attributes);
            replaced(e.start + name..e.start + end + 1, "")
        }
        _ if !attributes.is_empty() => {
            let (_, from, to) = r.pick(&attributes);
            let value = r.pick(&["", "0", "1", "2", "-1", "true", "x", "99999999999999999999", "scalar", "real", "and"]);
            replaced(e.start + from..e.start + to, value)
        }
        _ => replaced(e, ""),
    }
}

#[test]
fn changed_elements_and_attributes() {
    let mut r = Random(3);
    for text in originals() {
        for _ in 0..60 {
            survive(mutant(&text, &mut r).as_bytes());
        }
    }
}

#[test]
fn the_schema_check_agrees_with_xmllint_on_mutants() {
    if Command::new("xmllint").arg("--version").output().is_err() {
        eprintln!("skipped: there is no xmllint");
        return;
    }
    let mut r = Random(4);
    let (mut count, mut valid) = (0, 0);
    for text in originals() {
        for schema in ["xaif.xsd", "xaif_output.xsd"] {
            if !text.contains(&format!("XAIF {schema}")) {
                continue;
            }
            let folder = tempfile::tempdir().unwrap();
            let mutants: Vec<String> = (0..40).map(|_| mutant(&text, &mut r)).collect();
            let names: Vec<String> = (0..mutants.len()).map(|i| format!("{i}.xml")).collect();
            for (name, m) in names.iter().zip(&mutants) {
                std::fs::write(folder.path().join(name), m).unwrap();
            }
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/xsd/").to_string() + schema;
            let out = Command::new("xmllint")
                .current_dir(folder.path())
                .args(["--noout", "--nonet", "--schema", &path])
                .args(&names)
                .output()
                .unwrap();
            let report = String::from_utf8_lossy(&out.stderr).into_owned();
            for (name, m) in names.iter().zip(&mutants) {
                let judged = report.lines().any(|l| l == format!("{name} validates"));
                let found = validate::schema("m.xaif", m.as_bytes());
                let complaints: Vec<&str> = report.lines().filter(|l| l.starts_with(&format!("{name}:"))).collect();
                assert_eq!(found.is_empty(), judged, "{found:#?}\n{complaints:#?}\n{m}");
                count += 1;
                valid += usize::from(judged);
            }
        }
    }
    eprintln!("{count} mutants, {valid} of them valid, the same in both judgements");
    assert!(count > 100);
}
