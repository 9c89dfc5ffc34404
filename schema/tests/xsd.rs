//! Validation against our XSD files, with xmllint as the judge.
mod common;

use common::random::Random;
use std::process::Command;
use xaif::validate::schema;
use xaif::write::write;

/// Whether xmllint finds a document valid; `None` (with a message) where there is no xmllint.
fn xmllint(document: &[u8], schema: &str) -> Option<bool> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("document.xml");
    std::fs::write(&file, document).unwrap();
    let schema = concat!(env!("CARGO_MANIFEST_DIR"), "/xsd/").to_string() + schema;
    match Command::new("xmllint").args(["--noout", "--nonet", "--schema", &schema]).arg(&file).output() {
        Ok(out) => Some(out.status.success()),
        Err(_) => {
            eprintln!("skipped: there is no xmllint");
            None
        }
    }
}

fn schema_of(text: &str) -> &'static str {
    if text.contains("xaif_output.xsd") { "xaif_output.xsd" } else { "xaif.xsd" }
}

#[test]
fn real_files_are_valid_save_the_documented_ones() {
    let Some(folder) = common::shared("corpus") else { return };
    let index = std::fs::read_to_string(folder.join("INDEX.tsv")).unwrap();
    for (name, bytes) in common::documents("corpus") {
        let stem = name.trim_end_matches(".xaif");
        let documented = index.lines().any(|l| l.split('\t').next() == Some(stem) && l.contains("INVALID"));
        let found = schema(&name, &bytes);
        // The only documented cause in the sample: calls without formalArgCount, an older form, of which each is told.
        let text = std::str::from_utf8(&bytes).unwrap();
        let bare = text
            .match_indices("<xaif:SubroutineCall ")
            .filter(|(at, _)| !text[*at..].split('>').next().unwrap().contains("formalArgCount"))
            .count();
        assert_eq!(documented, bare > 0, "{name}");
        assert_eq!(found.len(), bare, "{name}: {found:?}");
        for d in &found {
            assert!(d.message.contains("formalArgCount") && d.code == "OB1017" && !d.is_error(), "{d}");
            let line = text.lines().nth(d.location.as_ref().unwrap().line as usize - 1).unwrap();
            assert!(line.contains("SubroutineCall"), "{d}");
        }
        if documented && let Some(valid) = xmllint(&bytes, schema_of(text)) {
            assert!(!valid, "{name}");
        }
    }
    for (name, bytes) in common::documents("examples") {
        let found = schema(&name, &bytes);
        assert!(found.is_empty(), "{name}: {found:?}");
    }
}

#[test]
fn our_catalogue_is_valid() {
    let found = schema("intrinsics.xml", xaif::catalogue::BUILTIN_XML.as_bytes());
    assert!(found.is_empty(), "{found:?}");
    assert_ne!(xmllint(xaif::catalogue::BUILTIN_XML.as_bytes(), "intrinsics.xsd"), Some(false));
}

/// What stock XAIF does not have is taken out.
fn stripped(text: &str) -> String {
    let mut out = String::new();
    let mut hidden: Option<String> = None;
    for piece in text.split_inclusive('>') {
        let start = piece.find('<').unwrap_or(0);
        let tag = &piece[start..];
        if let Some(name) = &hidden {
            if tag.starts_with(&format!("</{name}")) {
                hidden = None;
            }
            continue;
        }
        if tag.starts_with("<ob:") {
            if !tag.ends_with("/>") {
                let name: String = tag[1..].chars().take_while(|c| !matches!(c, ' ' | '>')).collect();
                hidden = Some(name);
            }
            continue;
        }
        let mut rest = piece;
        while let Some(at) = rest.find(" ob:") {
            let value = at + rest[at..].find('"').unwrap() + 1;
            let end = value + rest[value..].find('"').unwrap() + 1;
            out.push_str(&rest[..at]);
            rest = &rest[end..];
        }
        out.push_str(rest);
    }
    out
}

#[test]
fn what_the_writer_makes_is_valid_in_both_judgements_with_and_without_extensions() {
    for seed in 0..60 {
        let mut program = Random(seed).program();
        valid_everywhere(&mut program);
        let text = write(&program);
        let found = schema("d.xaif", text.as_bytes());
        assert!(found.is_empty(), "seed {seed}: {}\n{text}", found[0]);
        assert_ne!(xmllint(text.as_bytes(), schema_of(&text)), Some(false), "seed {seed}\n{text}");
        let stock = stripped(&text);
        assert!(!stock.contains("ob:S") && !stock.contains(" ob:"), "{stock}");
        let found = schema("d.xaif", stock.as_bytes());
        assert!(found.is_empty(), "seed {seed}: {}\n{stock}", found[0]);
    }
}

/// The random programs are freer than the schema: a ReplacementList has no side effects, positions start at 1 and so on.
fn valid_everywhere(program: &mut xaif::Program) {
    for unit in &mut program.units {
        for v in unit.graph.node_weights_mut() {
            if let xaif::model::VertexKind::Block { stmts, .. } = &mut v.kind {
                stmts.retain(|s| !matches!(s.kind, xaif::model::StmtKind::Runtime { .. }) || unit.replacements.is_none());
            }
        }
    }
}
