//! The table of diagnostics against the sources and the page made from it; `overbar explain`.

use crate::common;

use common::{overbar, overbar_ok, root};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn sources(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && name != "tests" {
            sources(&path, out);
        } else if name.ends_with(".rs") && !name.contains("tests") {
            out.push(path);
        }
    }
}

/// The codes that stand in a text as string literals.
fn literals(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("\"OB").filter_map(|(i, _)| {
        let code = text.get(i + 1..i + 7)?;
        (code[2..].bytes().all(|b| b.is_ascii_digit()) && text[i + 7..].starts_with('"')).then_some(code)
    })
}

#[test]
fn every_code_that_is_raised_is_in_the_table_and_the_other_way_round() {
    let mut files = Vec::new();
    for folder in ["src", "crates", "schema/src", "frontends/c/src", "frontends/fortran/src"] {
        sources(&root().join(folder), &mut files);
    }
    let mut raised: BTreeSet<String> = BTreeSet::new();
    for file in files.iter().filter(|f| !f.starts_with(root().join("crates/booster/src/diagnostics"))) {
        let text = std::fs::read_to_string(file).unwrap();
        // Tests at the end of a file raise nothing.
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        for found in literals(code) {
            assert!(
                overbar::diagnostics::find(found).is_some(),
                "{}: {found} is not in the table: describe it in crates/booster/src/diagnostics/, then `overbar explain --all > docs/diagnostics.md`",
                file.display()
            );
            raised.insert(found.to_owned());
        }
    }
    assert!(raised.len() > 250, "{}", raised.len());
    let stale: Vec<&str> = overbar::diagnostics::all().map(|e| e.code).filter(|c| !raised.contains(*c)).collect();
    assert!(stale.is_empty(), "nothing raises {stale:?}: take them out of crates/booster/src/diagnostics/");
}

#[test]
fn the_page_is_up_to_date() {
    let page = std::fs::read_to_string(root().join("docs/diagnostics.md")).unwrap_or_default();
    assert!(page == overbar::diagnostics::markdown::page(), "run `cargo run -- explain --all > docs/diagnostics.md`");
    assert_eq!(overbar_ok(&root(), &["explain", "--all"]), page);
}

#[test]
fn explain_prints_text_and_json() {
    let text = overbar_ok(&root(), &["explain", "ob4002"]);
    assert!(text.starts_with("OB4002 (error): ") && text.contains("Way out: "), "{text}");
    let json: serde_json::Value = serde_json::from_str(&overbar_ok(&root(), &["explain", "4002", "OB4007", "--format", "json"])).unwrap();
    let list: Vec<_> = json.as_array().unwrap().iter().map(|e| (e["code"].as_str().unwrap(), e["kind"].as_str().unwrap())).collect();
    assert_eq!(list, [("OB4002", "error"), ("OB4007", "warning")]);
    assert!(json[0]["way_out"].as_str().unwrap().len() > 10);
}

#[test]
fn an_unknown_code_is_a_usage_error_that_lists_near_ones() {
    for (code, near) in [("OB4072", "OB4002"), ("3059", "OB3050"), ("hello", "--all")] {
        let output = overbar(&root(), &["explain", code]);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(output.stdout.is_empty() && errors.contains(near) && errors.contains("OB0110"), "{code}: {errors}");
    }
    assert_eq!(overbar(&root(), &["explain"]).status.code(), Some(2));
}

#[test]
fn what_a_refusal_prints_can_be_explained() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("f.c"), "double g(double);\ndouble f(double x) { return g(x); }\n").unwrap();
    let output = overbar(folder.path(), &["--message-format", "json", "diff", "f.c", "-b", "--head", "f/(x)"]);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    for line in errors.lines() {
        let d: serde_json::Value = serde_json::from_str(line).unwrap();
        let code = d["code"].as_str().unwrap();
        let e = overbar::diagnostics::find(code).unwrap();
        assert!(e.kind == "varies" || d["severity"] == e.kind, "{line}");
    }
}
