//! `overbar eliminate` as a user runs it: answers, refusals, and the code it prints, compiled and compared with path products.

use crate::common;

use common::{STRICT_C, STRICT_FORTRAN, overbar, overbar_ok, overbar_with_input, shared, silently};
use serde_json::Value;
use std::fmt::Write;
use std::path::Path;

/// A graph with everything that the form allows: known and unknown values, a copy, parallel edges, an output that is read, an input that is an output, a
/// vertex that leads nowhere.
const GRAPH: &str = r#"{"name": "all */ kinds", "vertices": [{"id": 10}, {"id": 11}, {"id": 1}, {"id": 2}, {"id": 3}, {"id": 4}, {"id": 5}, {"id": 6}],
 "edges": [
  {"src": 10, "dst": 1, "kind": "variable"}, {"src": 10, "dst": 1, "kind": "variable"}, {"src": 11, "dst": 1, "kind": "constant", "value": -0.5},
  {"src": 1, "dst": 2, "kind": "unit", "value": -1}, {"src": 11, "dst": 2, "kind": "variable", "value": 3.25},
  {"src": 2, "dst": 3, "kind": "unit", "copy": true}, {"src": 2, "dst": 4, "kind": "variable"}, {"src": 3, "dst": 4, "kind": "constant", "value": 1e-7},
  {"src": 1, "dst": 4, "kind": "unit"}, {"src": 3, "dst": 5, "kind": "constant"}, {"src": 4, "dst": 5, "kind": "variable"},
  {"src": 2, "dst": 6, "kind": "variable"}],
 "inputs": [10, 11], "outputs": [5, 2, 10]}"#;

/// Factors that fit to a graph, and its Jacobian by path products.
fn factors(graph: &Value) -> (Vec<f64>, Vec<Vec<f64>>) {
    let edges = graph["edges"].as_array().expect("edges");
    let mut x = 12345u64;
    let mut next = || {
        x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (x >> 40) as f64 / f64::from(1 << 24) + 0.5
    };
    let factor = |e: &Value, r: f64| match (e["value"].as_f64(), e["kind"].as_str(), e["copy"].as_bool()) {
        (_, _, Some(true)) => 1.0,
        (Some(v), ..) => v,
        (_, Some("unit"), _) => {
            if r < 1.0 {
                1.0
            } else {
                -1.0
            }
        }
        _ => r,
    };
    let c: Vec<f64> = edges.iter().map(|e| factor(e, next())).collect();
    let ids = |key: &str| graph[key].as_array().expect("a list").iter().map(|v| v.as_u64().expect("an id")).collect::<Vec<_>>();
    let vertices: Vec<u64> = graph["vertices"].as_array().expect("vertices").iter().map(|v| v["id"].as_u64().expect("an id")).collect();
    // Edges are relaxed as often as there are vertices at most: no order is assumed.
    let columns: Vec<Vec<f64>> = ids("inputs")
        .iter()
        .map(|&i| {
            let start: Vec<f64> = vertices.iter().map(|&v| f64::from(u8::from(v == i))).collect();
            let at = |id: u64| vertices.iter().position(|&v| v == id).expect("a vertex");
            let ends: Vec<(usize, usize)> =
                edges.iter().map(|e| (at(e["src"].as_u64().expect("src")), at(e["dst"].as_u64().expect("dst")))).collect();
            let mut value = start.clone();
            loop {
                let mut new = start.clone();
                ends.iter().zip(&c).for_each(|(&(s, t), f)| new[t] += f * value[s]);
                if new == value {
                    return ids("outputs").iter().map(|&o| value[at(o)]).collect();
                }
                value = new;
            }
        })
        .collect();
    let rows = (0..ids("outputs").len()).map(|k| columns.iter().map(|c| c[k]).collect()).collect();
    (c, rows)
}

fn literals(c: &[f64], fortran: bool) -> String {
    let number = |v: &f64| if fortran { format!("{v:e}").replace('e', "d") } else { format!("{v:e}") };
    c.iter().map(number).collect::<Vec<_>>().join(if fortran { ", &\n    " } else { ", " })
}

/// Compiles the code that is printed for a graph, runs it, and compares.
fn compare(folder: &Path, text: &str, arguments: &[&str]) {
    let graph: Value = serde_json::from_str(text).expect("JSON");
    let (c, expected) = factors(&graph);
    let (rows, columns) = (expected.len(), expected[0].len());
    std::fs::write(folder.join("g.json"), text).expect("written");
    let mut all = vec!["eliminate", "g.json"];
    all.extend(arguments);
    let with = |more: [&'static str; 4]| all.iter().copied().chain(more).collect::<Vec<_>>();
    overbar_ok(folder, &with(["--emit", "c", "-o", "j.c"]));
    overbar_ok(folder, &with(["--emit", "fortran", "-o", "j.f90"]));

    let mut main = format!(
        "#include <stdio.h>\nvoid jacobian(const double c[], double j[]);\nint main(void) {{\n  double c[] = {{{}}};\n",
        literals(&c, false)
    );
    let _ = write!(
        main,
        "  double j[{0}];\n  jacobian(c, j);\n  for (int k = 0; k < {0}; k++) {{\n    printf(\"%.17g\\n\", j[k]);\n  }}\n}}\n",
        rows * columns
    );
    std::fs::write(folder.join("main.c"), main).expect("written");
    silently(folder, "gcc", &[&STRICT_C[..], &["-Wno-missing-prototypes", "main.c", "j.c", "-o", "c.out"]].concat());

    let main = format!(
        "program main\n  implicit none\n  double precision :: c({}), j({rows},{columns})\n  integer :: k, i\n  c = [{}]\n  call jacobian(c, j)\n  do k = 1, {rows}\n    do i = 1, {columns}\n      print '(es25.17e3)', j(k, i)\n    end do\n  end do\nend program\n",
        c.len(),
        literals(&c, true)
    );
    std::fs::write(folder.join("main.f90"), main).expect("written");
    silently(folder, "gfortran", &[&STRICT_FORTRAN[..], &["-Wno-implicit-interface", "main.f90", "j.f90", "-o", "f.out"]].concat());

    for program in ["./c.out", "./f.out"] {
        let found: Vec<f64> = silently(folder, program, &[]).lines().map(|l| l.trim().parse().expect("a number")).collect();
        assert_eq!(found.len(), rows * columns);
        for (f, e) in found.iter().zip(expected.iter().flatten()) {
            assert!((f - e).abs() <= 1e-11 * e.abs().max(1.0), "{program} {arguments:?}: {f} for {e}");
        }
    }
}

#[test]
fn printed_code_computes_the_jacobian() {
    let folder = tempfile::tempdir().expect("a folder");
    for objective in ["plain", "aware"] {
        for order in ["forward", "reverse", "hs,lm,reverse"] {
            compare(folder.path(), GRAPH, &["--objective", objective, "--order", order]);
        }
        compare(folder.path(), GRAPH, &["--objective", objective, "--order", "lm,reverse", "--technique", "edge"]);
        compare(folder.path(), GRAPH, &["--objective", objective, "--order", "lm,reverse", "--technique", "face"]);
        compare(folder.path(), GRAPH, &["--objective", objective]);
    }
    for name in ["Lighthouse", "RobotArm_6DOF.cse"] {
        let Some(file) = shared(&format!("elimination/graphs/{name}.json")) else { return };
        compare(folder.path(), &std::fs::read_to_string(file).expect("text"), &["--search", "0.2"]);
    }
}

#[test]
fn what_is_left_is_printed_too() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("g.json"), GRAPH).expect("written");
    for (language, file) in [("c", "r.c"), ("fortran", "r.f90")] {
        overbar_ok(folder.path(), &["eliminate", "g.json", "--objective", "propagate:1", "--emit", language, "-o", file]);
    }
    silently(folder.path(), "gcc", &[&STRICT_C[..], &["-c", "r.c"]].concat());
    silently(folder.path(), "gfortran", &[&STRICT_FORTRAN[..], &["-c", "r.f90"]].concat());
}

#[test]
fn answers_are_json_and_text() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("g.json"), GRAPH).expect("written");
    for (objective, technique) in [("plain", "vertex"), ("aware", "edge"), ("propagate:2", "face"), ("aware", "vertex")] {
        let arguments =
            ["eliminate", "g.json", "--objective", objective, "--format", "json", "--order", "lm,reverse", "--technique", technique];
        let answer: Value = serde_json::from_str(&overbar_ok(folder.path(), &arguments)).expect("JSON");
        assert_eq!(answer["objective"], objective);
        assert_eq!(answer["checked"], true);
        assert!(
            answer["cost"].is_u64() && answer["lower_bound"].is_u64() && answer["optimal"].is_boolean() && answer["method"].is_string()
        );
        assert!(!answer["order"].as_array().expect("an order").is_empty());
    }
    let answer: Value =
        serde_json::from_str(&overbar_ok(folder.path(), &["eliminate", "g.json", "--search", "0.1", "--format", "json"])).expect("JSON");
    assert_eq!(answer["optimal"], true);
    let mut order: Vec<u64> = answer["order"].as_array().expect("an order").iter().filter_map(Value::as_u64).collect();
    order.sort_unstable();
    assert_eq!(order, [1, 2, 3, 4]);
    assert!(overbar_ok(folder.path(), &["eliminate", "g.json"]).contains("no vertex order costs less"));
}

fn refused(input: &str, arguments: &[&str], code: &str, place: Option<(u64, u64)>, status: i32) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    let mut all = vec!["eliminate", "-", "--message-format", "json"];
    all.extend(arguments);
    let output = overbar_with_input(folder.path(), &all, input.as_bytes());
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(status), "{code}: {errors}");
    assert!(output.stdout.is_empty());
    let d: Value = serde_json::from_str(errors.lines().next().expect("a diagnostic")).expect("JSON");
    assert_eq!(d["code"], code, "{errors}");
    if let Some((line, column)) = place {
        assert_eq!((d["location"]["line"].as_u64(), d["location"]["column"].as_u64()), (Some(line), Some(column)), "{errors}");
    }
    d
}

#[test]
fn bad_graphs_are_named_with_their_place() {
    let graph = |vertices: &str, edges: &str, inputs: &str, outputs: &str| {
        format!("{{\"vertices\":[{vertices}],\n\"edges\":[{edges}],\n\"inputs\":[{inputs}],\n\"outputs\":[{outputs}]}}")
    };
    let v = r#"{"id":0},{"id":1},{"id":2},{"id":3}"#;
    let edge = |s: u32, d: u32| format!(r#"{{"src":{s},"dst":{d},"kind":"variable"}}"#);
    let good = format!("{},\n{},\n{}", edge(0, 1), edge(1, 2), edge(2, 3));
    assert!(overbar_with_input(Path::new("."), &["eliminate", "-"], graph(v, &good, "0", "3").as_bytes()).status.success());

    refused("{", &[], "OB7001", Some((1, 1)), 1);
    refused("", &[], "OB7001", None, 1);
    refused("[1,2]", &[], "OB7001", None, 1);
    refused(&graph(v, r#"{"src":0,"dst":1,"kind":"odd"}"#, "0", "3"), &[], "OB7001", None, 1);
    refused(&graph(v, r#"{"src":-1,"dst":1,"kind":"unit"}"#, "0", "3"), &[], "OB7001", None, 1);
    refused(&graph(r#"{"id":0},{"id":0}"#, "", "0", "0"), &[], "OB7002", Some((1, 23)), 1);
    refused(&graph(v, &format!("{good},\n{}", edge(3, 7)), "0", "3"), &[], "OB7003", Some((5, 1)), 1);
    refused(&graph(v, &good, "0", "3, 8"), &[], "OB7003", Some((6, 15)), 1);
    refused(&graph(v, &format!("{good},\n{}", edge(2, 1)), "0", "3"), &[], "OB7004", None, 1);
    refused(&graph(v, &format!("{good},\n{}", edge(2, 2)), "0", "3"), &[], "OB7004", Some((5, 1)), 1);
    refused(&graph(v, &good, "0,1", "3"), &[], "OB7005", Some((2, 10)), 1);
    for value in ["NaN", "-Infinity", "1e999"] {
        let d = refused(&graph(v, &format!(r#"{{"src":0,"dst":3,"kind":"variable","value":{value}}}"#), "0", "3"), &[], "OB7006", None, 1);
        assert_eq!(d["location"]["line"], 2);
    }
    refused(&graph(v, r#"{"src":0,"dst":3,"kind":"unit","value":2}"#, "0", "3"), &[], "OB7007", Some((2, 10)), 1);
    refused(&graph(v, r#"{"src":0,"dst":3,"kind":"variable","copy":true}"#, "0", "3"), &[], "OB7007", Some((2, 10)), 1);
    refused(&graph(v, &good, "0", "3,3"), &[], "OB7009", Some((6, 14)), 1);
    let ids: Vec<String> = (0..1_000_000).map(|k| format!("{{\"id\":{k}}}")).collect();
    let outputs: Vec<String> = (1..1_000_000).map(|k| k.to_string()).collect();
    refused(&graph(&ids.join(","), "", "0", &outputs.join(",")), &[], "OB7008", None, 1);

    let good = graph(v, &good, "0", "3");
    let d = refused(&good, &["--order", "lm,magic"], "OB7010", None, 2);
    assert!(d["help"].as_str().is_some_and(|h| h.contains("markowitz") && h.contains("moplr")), "{d}");
    refused(&good, &["--order", "lm,pre1"], "OB7011", None, 2);
    refused(&good, &["--objective", "cheap"], "OB7012", None, 2);
    refused(&good, &["--objective", "propagate:0"], "OB7012", None, 2);
    refused(&good, &["--search=-1"], "OB7013", None, 2);
    refused(&good, &["--search", "NaN"], "OB7013", None, 2);
}

#[test]
fn graphs_without_anything_to_do_are_no_error() {
    for text in [
        r#"{"vertices":[],"edges":[],"inputs":[],"outputs":[]}"#,
        r#"{"vertices":[{"id":0}],"edges":[],"inputs":[0],"outputs":[0]}"#,
        r#"{"vertices":[{"id":0},{"id":1}],"edges":[],"inputs":[0],"outputs":[1]}"#,
    ] {
        for objective in ["plain", "aware", "propagate:1"] {
            for emit in [&["--format", "json"][..], &["--emit", "c"], &["--emit", "fortran"]] {
                let arguments: Vec<&str> = ["eliminate", "-", "--objective", objective].into_iter().chain(emit.iter().copied()).collect();
                let output = overbar_with_input(Path::new("."), &arguments, text.as_bytes());
                assert!(output.status.success(), "{text} {arguments:?} {}", String::from_utf8_lossy(&output.stderr));
            }
        }
    }
    assert_eq!(overbar(Path::new("."), &["eliminate", "no such file"]).status.code(), Some(1));
}

#[test]
fn lines_without_end_are_not_printed() {
    let folder = tempfile::tempdir().unwrap();
    let vertices: Vec<String> = (0..20_000).map(|k| format!("{{\"id\": {k}}}")).collect();
    let text = format!(
        r#"{{"vertices": [{}], "edges": [{{"src": 1, "dst": 1, "kind": "unit"}}], "inputs": [0], "outputs": [2]}}"#,
        vertices.join(", ")
    );
    std::fs::write(folder.path().join("g.json"), text).unwrap();
    let output = common::overbar(folder.path(), &["eliminate", "g.json"]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(errors.contains("OB7004") && errors.contains("g.json:1:") && errors.len() < 2000, "{}", errors.len());
}

/// Sequences that heuristics have found, given back as they were printed, cost what they cost, as do others; what is no sequence is refused.
#[test]
fn a_sequence_from_elsewhere_is_checked_and_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    std::fs::write(at.join("g.json"), GRAPH).expect("written");
    let answer = |arguments: &[&str]| -> Value {
        serde_json::from_str(&overbar_ok(at, &[&["eliminate", "g.json", "--format", "json"], arguments].concat())).expect("JSON")
    };
    for technique in ["vertex", "edge", "face"] {
        for order in ["forward", "reverse", "markowitz"] {
            if technique == "face" && order == "forward" {
                continue;
            }
            let found = answer(&["--order", order, "--technique", technique]);
            std::fs::write(at.join("s.json"), found.to_string()).expect("written");
            let given = answer(&["--sequence", "s.json"]);
            assert_eq!((&given["cost"], &given["order"]), (&found["cost"], &found["order"]), "{technique} {order}");
            assert_eq!(given["checked"], true);
        }
    }
    // A part is a sequence, too: code with what is left of it computes the same Jacobian.
    std::fs::write(at.join("part.json"), "[1]").expect("written");
    let part = answer(&["--sequence", "part.json"]);
    assert!(
        part["checked"] == true && part["optimal"] == false && part["method"].as_str().is_some_and(|m| m.contains("in part")),
        "{part}"
    );
    std::fs::write(at.join("none.json"), "[]").expect("written");
    assert_eq!(answer(&["--sequence", "none.json"])["optimal"], false);
    // By hand: vertex 2 has the edges from 1 (-1), 11 (3.25) and to 3 (copy), 4, 6; 6 leads nowhere; the output proper of 2 is a copy.
    // The product with -1 and those with copies are free: 3.25 times the variable factor to 4 is one.
    std::fs::write(at.join("two.json"), "[2]").expect("written");
    assert_eq!(answer(&["--sequence", "two.json"])["cost"], 1);
    for (text, code) in [
        ("[1, 1]", "OB7018"),
        ("[10]", "OB7018"),
        ("[99]", "OB7017"),
        ("{", "OB7016"),
        (r#"[{"up":3}]"#, "OB7016"),
        (r#"[1,{"face":[0,1]}]"#, "OB7018"),
    ] {
        std::fs::write(at.join("bad.json"), text).expect("written");
        let o = overbar(at, &["eliminate", "g.json", "--sequence", "bad.json"]);
        let told = String::from_utf8_lossy(&o.stderr);
        assert!(o.status.code() == Some(1) && o.stdout.is_empty() && told.contains(code), "{text}: {told}");
    }
}
