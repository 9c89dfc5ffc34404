//! `overbar plot` as a user runs it: every picture, in both formats, from C, Fortran, XAIF and JSON; refusals.

use crate::common;

use common::{overbar, overbar_ok, root, shared};
use overbar::plot::{calls, dot, flow, svg, terms};
use std::path::{Path, PathBuf};
use xaif::Program;

const C: &str = "static double g(double a) { return a * a; }\n\
double f(int n, const double *x)\n{\n    double s = 0.0;\n    for (int i = 0; i < n; i++) {\n        if (x[i] > 0.0 && x[i] < 9.0)\n            \
s += g(x[i]) * sin(x[i]) + 2.0 * x[i];\n    }\n    return s;\n}\n";

const FORTRAN: &str = "subroutine s(n, x, y)\n  implicit none\n  integer, intent(in) :: n\n  real(8), intent(in) :: x(n)\n  real(8), intent(out) :: y\n  \
integer :: i\n  y = 0\n  do i = 1, n\n    y = y + x(i)*exp(-x(i))\n  end do\nend subroutine\n";

const GRAPH: &str = r#"{"name": "a <graph> & \"more\"", "vertices": [{"id": 10}, {"id": 11}, {"id": 1}, {"id": 2}, {"id": 3}],
 "edges": [{"src": 10, "dst": 1, "kind": "variable"}, {"src": 11, "dst": 1, "kind": "constant", "value": -0.5}, {"src": 1, "dst": 2, "kind": "unit"},
  {"src": 1, "dst": 3, "kind": "variable"}, {"src": 2, "dst": 3, "kind": "variable", "value": 3.25}], "inputs": [10, 11], "outputs": [3]}"#;

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let c = format!("#include <math.h>\n{C}");
    for (name, text) in [("f.c", c.as_str()), ("s.f90", FORTRAN), ("g.json", GRAPH)] {
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    overbar_ok(folder.path(), &["frontend", "c", "f.c", "-o", "f.xaif"]);
    folder
}

/// The texts of a drawing, which must be well-formed, with all markup where it belongs.
fn texts(drawing: &str) -> Vec<String> {
    let document = roxmltree::Document::parse(drawing).expect("well-formed");
    assert!(document.root_element().attribute("viewBox").is_some());
    document.descendants().filter(|n| n.has_tag_name("text")).map(|n| n.text().unwrap_or_default().to_owned()).collect()
}

fn has(texts: &[String], wanted: &str) -> bool {
    texts.iter().any(|t| t.contains(wanted))
}

#[test]
fn pictures_show_source_text_and_lines_in_all_languages() {
    let folder = folder();
    let draw = |arguments: &[&str]| {
        let arguments: Vec<&str> = ["plot"].iter().chain(arguments).copied().collect();
        let once = overbar_ok(folder.path(), &arguments);
        assert_eq!(once, overbar_ok(folder.path(), &arguments), "the same request gives the same bytes");
        texts(&once)
    };
    for file in ["f.c", "f.xaif"] {
        let t = draw(&[file, "--what", "callgraph"]);
        assert!(has(&t, "3: f(n, x)") && has(&t, "2: g(a)"), "{file}: {t:?}");
        let t = draw(&[file, "--what", "cfg", "--unit", "f"]);
        assert!(has(&t, "6: for (int i = 0; i < n; i++)") && has(&t, "entry") && has(&t, "true"), "{file}: {t:?}");
        let t = draw(&[file, "--what", "expression", "--unit", "g"]);
        assert!(t.iter().any(|t| t == "*") && t.iter().any(|t| t == "a"), "{file}: {t:?}");
        let t = draw(&[file, "--what", "activity", "--head", "f/(x)"]);
        assert!(t.iter().any(|t| t.starts_with("* ") && t.contains("sin(x[i])")), "{file}: {t:?}");
    }
    let t = draw(&["s.f90", "--what", "cfg"]);
    assert!(has(&t, "8: do i = 1, n") && has(&t, "9: y = y + x(i)*exp(-x(i))"), "{t:?}");
    let t = draw(&["s.f90", "--what", "lcg", "--line", "9"]);
    assert!(has(&t, "x(i)") && t.iter().any(|t| t == "-1") && has(&t, "exp(-x(i))"), "{t:?}");
    assert!(!has(&t, "7: y = 0"), "{t:?}");
    // d y / d y is one, d y / d x(i) is a sum of two products; nothing else is left.
    let t = draw(&["s.f90", "--what", "eliminated", "--line", "9"]);
    assert!(t.iter().any(|t| t == "y") && t.iter().any(|t| t == "x(i)"), "{t:?}");
    assert!(t.iter().any(|t| t.contains("exp(-x(i))") && t.contains('*') && !t.contains("y = ")), "{t:?}");
}

#[test]
fn sequences_of_statements_are_one_graph() {
    let folder = folder();
    let c = "#include <math.h>\nvoid s(double x, double y, double *u)\n{\n    double t = x * y;\n    *u = sin(t) * t;\n}\n";
    std::fs::write(folder.path().join("t.c"), c).expect("written");
    let lcg = texts(&overbar_ok(folder.path(), &["plot", "t.c", "--what", "lcg"]));
    assert_eq!(lcg.iter().filter(|t| t.starts_with("4: double t = x * y")).count(), 1, "{lcg:?}");
    assert!(has(&lcg, "5: *u = sin(t) * t") && has(&lcg, "cos(t)"), "{lcg:?}");
    let after = texts(&overbar_ok(folder.path(), &["plot", "t.c", "--what", "eliminated"]));
    assert!(has(&after, "5: *u = sin(t) * t") && !has(&after, "4: double t"), "{after:?}");
    // A part of the block is what it is without the rest.
    let part = texts(&overbar_ok(folder.path(), &["plot", "t.c", "--what", "lcg", "--line", "5"]));
    assert!(!has(&part, "4: double t") && part.iter().any(|t| t == "t"), "{part:?}");
}

#[test]
fn graphs_in_json_are_drawn_before_and_after_elimination() {
    let folder = folder();
    let before = texts(&overbar_ok(folder.path(), &["plot", "g.json", "--what", "lcg"]));
    assert!(["10", "11", "1", "2", "3", "-0.5", "3.25"].iter().all(|w| before.iter().any(|t| t == w)), "{before:?}");
    let after = texts(&overbar_ok(folder.path(), &["plot", "g.json", "--what", "eliminated"]));
    assert!(["10", "11", "3"].iter().all(|w| after.iter().any(|t| t == w)), "{after:?}");
    assert!(!after.iter().any(|t| t == "1" || t == "2"), "intermediate vertices are gone: {after:?}");
    let near = texts(&overbar_ok(folder.path(), &["plot", "g.json", "--what", "lcg", "--around", "2", "--depth", "1"]));
    assert!(near.iter().any(|t| t == "3") && !near.iter().any(|t| t == "10"), "{near:?}");
}

/// A program's graph goes to `eliminate` and to others' searches.
#[test]
fn graphs_of_programs_are_written_for_eliminate() {
    let folder = folder();
    let at = folder.path();
    let c = "#include <math.h>\nvoid s(double x, double y, double *u)\n{\n    double t = x * y;\n    *u = sin(t) * t;\n}\n";
    std::fs::write(at.join("t.c"), c).expect("written");
    overbar_ok(at, &["plot", "t.c", "--what", "lcg", "-o", "t.json"]);
    let graph: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(at.join("t.json")).expect("read")).expect("JSON");
    let factors: Vec<&str> = graph["edges"].as_array().expect("edges").iter().filter_map(|e| e["factor"].as_str()).collect();
    assert!(["x", "y", "cos(t)", "t", "sin(t)"].iter().all(|f| factors.contains(f)), "{factors:?}");
    // t is read twice, by the sine and by the product: (cos t * t + sin t) times y and x.
    let answer: serde_json::Value = serde_json::from_str(&overbar_ok(at, &["eliminate", "t.json", "--format", "json"])).expect("JSON");
    assert_eq!(answer["cost"], 3, "{answer}");
    overbar_ok(at, &["plot", "t.json", "--what", "lcg", "-o", "t.svg"]);
    let refused = overbar(at, &["plot", "t.c", "--what", "cfg", "--format", "json"]);
    assert!(refused.status.code() == Some(2) && String::from_utf8_lossy(&refused.stderr).contains("OB0124"));
}

/// Numbers at a point: a tape's values at x = 1, y = 2, where a = cos(x), b = sin(y)*y*y and f = exp(a*b) (the example of the paper on term graphs).
#[test]
fn edges_have_numbers_at_a_point() {
    let folder = folder();
    let at = folder.path();
    let c = "#include <math.h>\nvoid f(double x, double y, double *r)\n{\n    double a = cos(x);\n    double b = sin(y) * y * y;\n    *r = exp(a * b);\n}\n";
    std::fs::write(at.join("f.c"), c).expect("written");
    std::fs::write(at.join("at.json"), r#"{"args": {"x": 1, "y": 2}}"#).expect("written");
    let graph: serde_json::Value =
        serde_json::from_str(&overbar_ok(at, &["plot", "f.c", "--what", "lcg", "--input", "at.json", "--format", "json"])).expect("JSON");
    let values: Vec<f64> = graph["edges"].as_array().expect("edges").iter().filter_map(|e| e["value"].as_f64()).collect();
    let (a, b) = (1f64.cos(), 4.0 * 2f64.sin());
    let expected = [-1f64.sin(), 2f64.cos(), 2.0, 2f64.sin(), 2.0 * 2f64.sin(), b, a, (a * b).exp()];
    for e in expected {
        assert!(values.iter().any(|v| (v - e).abs() <= 1e-14 * e.abs()), "{e} is missing: {values:?}");
    }
    // The same graph is eliminated as before.
    std::fs::write(at.join("f.json"), graph.to_string()).expect("written");
    overbar_ok(at, &["eliminate", "f.json"]);
    let drawn = texts(&overbar_ok(at, &["plot", "f.c", "--what", "lcg", "--input", "at.json"]));
    for label in ["-0.841471", "-0.416147", "0.909297"] {
        assert!(has(&drawn, label), "{label}: {drawn:?}");
    }
}

/// A branch that is not taken has no numbers, and that is said; a loop has those of its last iteration.
#[test]
fn numbers_are_those_of_the_last_run() {
    let folder = folder();
    let at = folder.path();
    let c = "void g(int n, double x, double *y)\n{\n    double s = x;\n    if (n > 9) {\n        s = s * s;\n    }\n    for (int i = 0; i < n; i++) {\n        s = s * x;\n    }\n    *y = s;\n}\n";
    std::fs::write(at.join("g.c"), c).expect("written");
    std::fs::write(at.join("at.json"), r#"{"args": {"n": 3, "x": 2}}"#).expect("written");
    let run = overbar(at, &["plot", "g.c", "--what", "lcg", "--input", "at.json", "--format", "json"]);
    assert!(run.status.success() && String::from_utf8_lossy(&run.stderr).contains("OB0156"), "{}", String::from_utf8_lossy(&run.stderr));
    let graph: serde_json::Value = serde_json::from_slice(&run.stdout).expect("JSON");
    let product = |factor: &str| {
        let edges = graph["edges"].as_array().expect("edges");
        edges.iter().filter(|e| e["value"].as_f64().is_some() && e["factor"] == factor).count()
    };
    // Before the last of three multiplications s is 8, and x is 2.
    assert!(product("8") == 1 && product("2") == 1, "{graph}");
    assert!(graph["edges"].as_array().expect("edges").iter().any(|e| e["factor"] == "2.0*s" && e["value"].is_null()), "{graph}");
}

#[test]
fn dot_has_the_same_boxes() {
    let folder = folder();
    overbar_ok(folder.path(), &["plot", "f.c", "--what", "callgraph", "-o", "f.dot"]);
    let text = std::fs::read_to_string(folder.path().join("f.dot")).expect("written");
    assert!(text.starts_with("digraph \"call graph\" {") && text.contains("3: f(n, x)\\l") && text.contains(" -> "), "{text}");
    let text = overbar_ok(folder.path(), &["plot", "g.json", "--what", "lcg", "--format", "dot"]);
    assert!(text.contains("a <graph> & \\\"more\\\""), "{text}");
}

#[test]
fn what_cannot_be_drawn_is_refused_with_a_way_out() {
    let folder = folder();
    let refused = |arguments: &[&str], code: i32, wanted: &[&str]| {
        let arguments: Vec<&str> = ["plot"].iter().chain(arguments).copied().collect();
        let output = overbar(folder.path(), &arguments);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {errors}");
        assert!(output.stdout.is_empty());
        wanted.iter().for_each(|w| assert!(errors.contains(w), "{arguments:?}: {w} is missing in {errors}"));
    };
    refused(&["f.c", "--what", "cfg", "--unit", "h"], 2, &["OB0120", "there are: g, f"]);
    refused(&["f.c", "--what", "cfg"], 2, &["OB0122", "there are: g, f"]);
    refused(&["s.f90", "--what", "expression", "--line", "1"], 1, &["OB0123"]);
    refused(&["s.f90", "--what", "expression", "--line", "x"], 2, &["OB0128"]);
    refused(&["s.f90", "--what", "cfg", "-o", "a.png"], 2, &["OB0124", ".svg"]);
    refused(&["g.json", "--what", "cfg"], 2, &["OB0125", "lcg"]);
    refused(&["g.json", "--what", "lcg", "--around", "77"], 2, &["OB0126", "10, 11"]);
    refused(&["f.c", "--what", "activity", "--head", "g/(a)", "--unit", "f"], 1, &["OB0127", "f.c:3"]);
    refused(&["g.json", "--what", "eliminated", "--order", "nonsense"], 2, &["known", "markowitz"]);
    let lines: String = (0..400).map(|k| format!("    y[{k}] = x[{k}] * x[{k}];\n")).collect();
    std::fs::write(folder.path().join("long.c"), format!("void l(const double *x, double *y)\n{{\n{lines}}}\n")).expect("written");
    refused(&["long.c", "--what", "lcg"], 1, &["OB0121", "800 boxes", "--line", "--around", "--format"]);
    overbar_ok(folder.path(), &["plot", "long.c", "--what", "lcg", "--format", "dot"]);
    overbar_ok(folder.path(), &["plot", "long.c", "--what", "lcg", "--line", "10-20"]);
}

/// Every picture of a program that needs no choice.
fn draw_all(program: &Program, what: &str) -> usize {
    let mut count = 0;
    let mut one = |drawing: overbar::plot::Drawing| {
        assert!(dot::dot(&drawing).ends_with("}\n"), "{what}");
        if drawing.is_readable() {
            let text = svg::svg(&drawing);
            roxmltree::Document::parse(&text).unwrap_or_else(|e| panic!("{what}, {}: {e}", drawing.title));
            count += 1;
        }
    };
    one(calls::calls(program));
    for u in program.unit_ids().filter(|&u| !program.unit(u).is_container()) {
        one(flow::flow(program, u, None));
        one(terms::terms(program, u, &terms::assignments(program, u, None)));
    }
    count
}

fn files(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().and_then(|e| e.to_str()).is_some_and(|e| extensions.contains(&e)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn every_real_file_is_drawn() {
    let Some(folder) = shared("xaif/corpus") else { return };
    let mut count = 0;
    for file in files(&folder, &["xaif"]) {
        let name = file.display().to_string();
        let text = std::fs::read(&file).expect("a file");
        let (program, _) = xaif::read::read(&name, &text, &xaif::read::Limits::default()).unwrap_or_else(|f| panic!("{name}: {f:?}"));
        count += draw_all(&program, &name);
    }
    assert!(count > 100, "only {count} drawings");
}

#[test]
fn every_sample_is_drawn() {
    let mut count = 0;
    for file in files(&root().join("samples"), &["c", "f90", "f"]) {
        let text = std::fs::read_to_string(&file).expect("a file");
        let name = file.display().to_string();
        let parsed = if file.extension().is_some_and(|e| e == "c") {
            overbar_c::parse(&[overbar_c::parse::SourceText { file: &name, text: &text }], &overbar_c::ParseOptions::default())
        } else {
            let fixed_form = file.extension().is_some_and(|e| e == "f");
            let options = overbar_fortran::ParseOptions { fixed_form, ..Default::default() };
            overbar_fortran::parse(&[overbar_fortran::parse::SourceText { file: &name, text: &text }], &options)
        };
        // Drivers include derivative code that is not there yet.
        let Ok((program, _)) = parsed else { continue };
        count += draw_all(&program, &name);
    }
    assert!(count > 20, "only {count} drawings");
}

/// The picture on the first page is of its first program; `OVERBAR_REMAKE` draws it anew.
#[test]
fn the_picture_on_the_first_page_is_what_is_drawn() {
    let page = std::fs::read_to_string(root().join("README.md")).unwrap();
    let program = page.split("```c\n").nth(1).and_then(|p| p.split("```").next()).unwrap();
    assert!(program.starts_with("/* cost.c */") && page.contains("(docs/pictures/activity.svg)"));
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("cost.c"), program).unwrap();
    let drawn = overbar_ok(folder.path(), &["plot", "cost.c", "--what", "activity", "--head", "cost/(x)"]);
    let file = root().join("docs/pictures/activity.svg");
    if std::env::var_os("OVERBAR_REMAKE").is_some() {
        std::fs::write(&file, &drawn).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), drawn, "OVERBAR_REMAKE=1 draws it anew");
}
