//! What `docs/xaif.md` tells authors of other tools: its examples are files that work, and a front end made from it gives right gradients.

use crate::common::{STRICT_C, STRICT_FORTRAN, overbar, overbar_ok, overbar_with_input, root, silently};

use serde_json::json;
use std::path::PathBuf;

fn samples() -> PathBuf {
    root().join("samples/xaif")
}

fn documents() -> Vec<(String, String)> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(samples()).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "xaif"));
    files.sort();
    files.iter().map(|f| (f.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read_to_string(f).unwrap())).collect()
}

/// Lines without what they begin and end with.
fn plain(text: &str) -> String {
    text.lines().map(str::trim).filter(|l| !l.is_empty()).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_example_of_the_page_stands_in_a_file() {
    let page = std::fs::read_to_string(root().join("docs/xaif.md")).unwrap();
    let documents = documents();
    for (name, _) in &documents {
        assert!(page.contains(&format!("samples/xaif/{name}")), "{name} is not told of");
    }
    let examples: Vec<&str> = page.split("```xml\n").skip(1).map(|e| e.split("```").next().unwrap()).collect();
    assert!(examples.len() >= 12, "{}", examples.len());
    for e in examples {
        assert!(documents.iter().any(|(_, d)| plain(d).contains(&plain(e))), "no file has\n{e}");
    }
}

#[test]
fn the_samples_are_valid_and_their_derivatives_compile() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in documents() {
        std::fs::write(folder.path().join(&name), text).unwrap();
        overbar_ok(folder.path(), &["validate", &name]);
        overbar_ok(folder.path(), &["boost", "-d", "-b", "--require-certificate", &name, "-o", "out.xaif"]);
        overbar_ok(folder.path(), &["validate", "out.xaif"]);
        overbar_ok(folder.path(), &["backend", "c", "out.xaif", "-o", "out.c"]);
        silently(folder.path(), "gcc", &[&STRICT_C[..], &["-Werror", "-c", "out.c"]].concat());
        overbar_ok(folder.path(), &["backend", "fortran", "out.xaif", "-o", "out.f90"]);
        silently(folder.path(), "gfortran", &[&STRICT_FORTRAN[..], &["-c", "out.f90"]].concat());
    }
}

/// Gradients by hand: of a square, of a sum over an array, of t*sin(t) with t = x*x.
#[test]
fn the_samples_have_the_gradients_that_their_formulas_have() {
    let folder = tempfile::tempdir().unwrap();
    let gradient = |name: &str, unit: &str, input: serde_json::Value| -> Vec<f64> {
        std::fs::write(folder.path().join("values.json"), input.to_string()).unwrap();
        std::fs::copy(samples().join(name), folder.path().join(name)).unwrap();
        let answer = overbar_ok(folder.path(), &["eval", name, "--unit", unit, "--adjoint", "--input", "values.json"]);
        let told: serde_json::Value = serde_json::from_str(&answer).unwrap();
        let x = told.pointer("/derivatives/x").unwrap_or_else(|| panic!("{answer}"));
        x.as_array().map_or_else(|| vec![x.as_f64().unwrap()], |l| l.iter().map(|v| v.as_f64().unwrap()).collect())
    };
    assert_eq!(gradient("square.xaif", "square", json!({"args": {"x": 3.0}, "seeds": {"y": 1.0}})), [6.0]);
    let found = gradient("loop.xaif", "loop", json!({"args": {"n": 3, "x": [0.5, -2.0, 4.0]}, "seeds": {"c": 1.0}}));
    assert_eq!(found, [1.0, -1.0, 8.0]);
    let t = 1.21f64;
    let exact = (t.sin() + t * t.cos()) * 2.0 * 1.1;
    let found = gradient("call.xaif", "twice", json!({"args": {"x": 1.1}, "seeds": {"y": 1.0}}));
    assert!((found[0] - exact).abs() < 1e-14, "{found:?} {exact}");
}

const DRIVER: &str = r#"
#include <math.h>
#include <stdio.h>
void cost(int n, double *x, double *c);
void cost_b(int n, double *x, double *xb, double *c, double *cb);
int main(void) {
  double x[5] = {0.3, -0.8, 1.1, 0.4, 0.9}, xb[5] = {0}, c = 0.0, cb = 1.0, worst = 0.0;
  cost_b(5, x, xb, &c, &cb);
  for (int i = 0; i < 5; i++) {
    double at = x[i], h = 1e-6, up, down;
    x[i] = at + h;
    cost(5, x, &up);
    x[i] = at - h;
    cost(5, x, &down);
    x[i] = at;
    worst = fmax(worst, fabs(xb[i] - (up - down) / (2.0 * h)));
  }
  printf("%d\n", worst < 1e-8);
  return 0;
}
"#;

#[test]
fn a_front_end_for_a_toy_language_gives_right_gradients() {
    let folder = tempfile::tempdir().unwrap();
    let (toy, program) = (samples().join("toy.py"), samples().join("cost.toy"));
    let document = silently(folder.path(), "python3", &[toy.to_str().unwrap(), program.to_str().unwrap(), "cost(c)/(x)"]);
    std::fs::write(folder.path().join("toy.xaif"), &document).unwrap();
    overbar_ok(folder.path(), &["validate", "toy.xaif"]);
    let boosted = overbar_with_input(folder.path(), &["boost", "-d", "-b", "--require-certificate"], document.as_bytes());
    assert!(boosted.status.success(), "{}", String::from_utf8_lossy(&boosted.stderr));
    let made = overbar_with_input(folder.path(), &["backend", "c", "-o", "cost.c"], &boosted.stdout);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    std::fs::write(folder.path().join("main.c"), DRIVER).unwrap();
    silently(folder.path(), "gcc", &[&STRICT_C[..], &["-Werror", "cost.c", "main.c", "-lm", "-o", "main"]].concat());
    assert_eq!(silently(folder.path(), "./main", &[]), "1\n");
}

/// What is wrong with a document is told with its line.
#[test]
fn a_mistake_in_a_document_has_a_place() {
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(samples().join("square.xaif")).unwrap().replacen(
        r#"symbol_id="x" scope_id="2"/>"#,
        r#"symbol_id="z" scope_id="2"/>"#,
        2,
    );
    std::fs::write(folder.path().join("bad.xaif"), &text).unwrap();
    let line =
        1 + text.lines().position(|l| l.contains(r#"SymbolReference symbol_id="z""#) || l.contains(r#"symbol_id="z" scope_id"#)).unwrap();
    for command in [["validate", "bad.xaif"], ["boost", "bad.xaif"]] {
        let o = overbar(folder.path(), &[&command[..1], if command[0] == "boost" { &["-b"][..] } else { &[] }, &command[1..]].concat());
        let told = String::from_utf8_lossy(&o.stderr);
        assert!(!o.status.success() && told.contains(&format!("bad.xaif:{line}:")), "{told}");
    }
}

/// Documents in older forms of the format are valid, boosted alone and in batches, with a word about it.
#[test]
fn older_forms_are_valid() {
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(samples().join("loop.xaif")).unwrap();
    let mut old = text.replace("AliasSetMap>", "AliasSetList>").replace("<xaif:AliasSet key=\"0\"/>", "");
    old = old.replace("DUUDSetMap>", "DUUDSetList>").replace("<xaif:StmtIdSet key=\"0\"/>", "");
    old = old.lines().filter(|l| !l.contains("IndexTriplet")).collect::<Vec<_>>().join("\n");
    let call = std::fs::read_to_string(samples().join("call.xaif")).unwrap().replace(" formalArgCount=\"2\"", "");
    std::fs::create_dir(folder.path().join("in")).unwrap();
    for (name, text, words) in [("old.xaif", &old, "AliasSetList"), ("call.xaif", &call, "formalArgCount")] {
        std::fs::write(folder.path().join("in").join(name), text).unwrap();
        let path = format!("in/{name}");
        let o = overbar(folder.path(), &["validate", &path]);
        let told = String::from_utf8_lossy(&o.stderr);
        assert!(o.status.success() && told.contains("OB1017") && told.contains(words), "{told}");
        overbar_ok(folder.path(), &["boost", "-b", "-d", "--require-certificate", &path, "-o", "out.xaif"]);
    }
    overbar_ok(folder.path(), &["batch", "in", "-b", "-o", "out"]);
    // What is wrong besides stays so.
    std::fs::write(folder.path().join("bad.xaif"), old.replace("kind=\"variable\"", "kind=\"odd\"")).unwrap();
    let o = overbar(folder.path(), &["validate", "bad.xaif"]);
    assert!(!o.status.success());
}
