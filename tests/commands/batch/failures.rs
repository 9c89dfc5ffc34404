//! Items that fail, and batches that cannot begin.

use super::files::{report, statuses, tree, write};
use crate::common::{overbar, overbar_ok};
use std::path::Path;

/// One good item among others of every kind.
fn mixed(dir: &Path) {
    write(&dir.join("in/a_good.c"), "double f(double x) { return x * x; }\n");
    write(&dir.join("in/b_text.c"), "double f(double x { return x; }\n");
    write(&dir.join("in/c_unknown.c"), "double g(double);\ndouble f(double x) {\n  return g(x);\n}\n");
    write(&dir.join("in/d_broken.xaif"), "<CallGraph>");
    write(&dir.join("in/e_invalid.xaif"), "<CallGraph xmlns=\"http://www.mcs.anl.gov/XAIF\"><nothing/></CallGraph>");
    write(&dir.join("in/f_nothing.f90"), "module m\ninteger, parameter :: n = 3\nend module\n");
    std::fs::write(dir.join("in/g_latin.f90"), b"\xff\xfe!\0 \0n\0a\0\xef\0v\0e\0\n\0").unwrap();
    write(&dir.join("in/h_good.f90"), "subroutine f(x, y)\nreal, intent(in) :: x\nreal, intent(out) :: y\ny = x*x\nend\n");
    write(&dir.join("in/.hidden.c"), "nonsense");
    write(&dir.join("in/notes.txt"), "no program");
}

#[test]
fn what_fails_harms_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    mixed(dir);
    let output = overbar(dir, &["--message-format", "json", "batch", "in", "-o", "out", "-b", "--keep-going", "--jobs", "3"]);
    assert_eq!(output.status.code(), Some(1));
    let out = dir.join("out");
    let found = statuses(&out);
    let expected = ["done", "refused", "refused", "refused", "refused", "nothing", "refused", "done"];
    assert_eq!(found.values().collect::<Vec<_>>(), expected, "{found:?}");
    assert_eq!(tree(&out).keys().collect::<Vec<_>>(), ["a_good.c", "h_good.f90"]);
    // Every refusal is told with code and place, as it comes.
    let errors = String::from_utf8(output.stderr).unwrap();
    let codes: Vec<String> =
        errors.lines().map(|l| serde_json::from_str::<serde_json::Value>(l).unwrap()["code"].as_str().unwrap().to_owned()).collect();
    for code in ["OB2004", "OB4002", "OB1002", "OB0102"] {
        assert!(codes.iter().any(|c| c == code), "{code}: {errors}");
    }
    let report = report(&out);
    let item = |name: &str| report["items"].as_array().unwrap().iter().find(|i| i["output"] == name).unwrap().clone();
    assert_eq!(item("b_text.c")["stage"], "input");
    assert_eq!(item("c_unknown.c")["stage"], "derive");
    let place = &item("c_unknown.c")["diagnostics"][0]["location"];
    assert_eq!((place["file"].as_str(), place["line"].as_u64()), (Some("in/c_unknown.c"), Some(3)));
    assert_eq!((&report["counts"]["done"], &report["counts"]["refused"], &report["counts"]["nothing"]), (&2.into(), &5.into(), &1.into()));
    // The other forms say the same.
    overbar_ok(dir, &["validate", "out/overbar-batch/report.xml"]);
    let xml = std::fs::read_to_string(out.join("overbar-batch/report.xml")).unwrap();
    let xml = roxmltree::Document::parse(&xml).unwrap();
    assert_eq!(xml.root_element().children().filter(|n| n.attribute("status") == Some("refused")).count(), 5);
    let junit = std::fs::read_to_string(out.join("overbar-batch/junit.xml")).unwrap();
    let junit = roxmltree::Document::parse(&junit).unwrap();
    let suite = junit.descendants().find(|n| n.has_tag_name("testsuite")).unwrap();
    assert_eq!((suite.attribute("tests"), suite.attribute("failures"), suite.attribute("skipped")), (Some("8"), Some("5"), Some("1")));
    let failure = junit.descendants().find(|n| n.has_tag_name("failure") && n.attribute("type") == Some("OB4002")).unwrap();
    assert!(failure.attribute("message").unwrap().contains("in/c_unknown.c:3:3"));
    let html = std::fs::read_to_string(out.join("overbar-batch/report.html")).unwrap();
    assert!(["a_good.c", "OB4002", "<script>", "nothing"].iter().all(|w| html.contains(w)));
    assert!(!html.contains("http"), "the page fetches something");
}

#[test]
fn without_keep_going_the_first_failure_ends_it() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    mixed(dir);
    let output = overbar(dir, &["batch", "in", "-o", "out", "-b", "--jobs", "1"]);
    assert_eq!(output.status.code(), Some(1));
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let found = statuses(&dir.join("out"));
    assert!(found.values().filter(|s| *s == "refused").count() == 1 && found.values().any(|s| s == "unstarted"), "{found:?}");
    assert!(errors.contains("refused: "), "{errors}");
    // Once everything is mended, a resumed run does the rest.
    for bad in ["b_text.c", "c_unknown.c", "d_broken.xaif", "e_invalid.xaif", "g_latin.f90"] {
        std::fs::remove_file(dir.join("in").join(bad)).unwrap();
    }
    overbar_ok(dir, &["batch", "in", "-o", "out", "-b", "--resume"]);
}

#[test]
fn an_output_that_is_refused_later_does_not_stay() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    write(&dir.join("in/a.c"), "double f(double x) { return x * x; }\n");
    overbar_ok(dir, &["batch", "in", "-o", "out", "-b"]);
    write(&dir.join("in/a.c"), "double g(double);\ndouble f(double x) { return g(x); }\n");
    assert_eq!(overbar(dir, &["batch", "in", "-o", "out", "-b", "--resume"]).status.code(), Some(1));
    assert!(tree(&dir.join("out")).is_empty());
}

#[test]
fn a_batch_that_cannot_begin_is_an_error_of_usage() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    std::fs::create_dir(dir.join("empty")).unwrap();
    write(&dir.join("in/a.c"), "double f(double x) { return x * x; }\n");
    write(&dir.join("b.txt"), "");
    let cases: &[(&[&str], &str)] = &[
        (&["batch", "empty", "-o", "out", "-b"], "OB0149"),
        (&["batch", "missing", "-o", "out", "-b"], "OB0149"),
        (&["batch", "b.txt", "-o", "out", "-b"], "OB0149"),
        (&["batch", "in", "-o", "out"], "OB0104"),
        (&["batch", "in", "-o", "out", "-b", "--head", "f("], "OB0010"),
        (&["batch", "in", "-o", "out", "-b", "--shard", "3/2"], "OB0149"),
        (&["batch", "in", "-o", "out", "-b", "--shard", "0/2"], "OB0149"),
        (&["batch", "in", "-o", "out", "-b", "--header", "h.h"], "OB0141"),
        (&["batch", "in", "-o", "in", "-b"], "OB0142"),
    ];
    for (arguments, code) in cases {
        let output = overbar(dir, arguments);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {errors}");
        assert!(errors.contains(code), "{arguments:?}: {errors}");
        assert!(!dir.join("out").exists() && !dir.join("in/overbar-batch").exists(), "{arguments:?}");
    }
}
