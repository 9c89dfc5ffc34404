//! `boost --annotate`: facts in the format, found again by whoever reads them.

use crate::common::{overbar, overbar_ok, root};

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use xaif::Program;
use xaif::model::{StmtKind, VertexKind};
use xaif::read::{Limits, read};

const PROGRAM: &str = "static double twice(double t) { return t + t; }
void f(int n, double *x, double *y) {
  double s = 0.0;
  for (int i = 0; i < n; i++) {
    double t = x[i] * x[i];
    s = s + twice(t);
    x[i] = s;
  }
  if (s > 1.0)
    s = s * s;
  *y = s;
}
";

fn annotated(folder: &Path, source: &str, language: &str, head: &str) -> Program {
    overbar_ok(folder, &["frontend", language, source, "--head", head, "-o", "p.xaif"]);
    overbar_ok(folder, &["boost", "--annotate", "p.xaif", "-o", "a.xaif"]);
    let text = std::fs::read(folder.join("a.xaif")).unwrap();
    read("a.xaif", &text, &Limits::default()).unwrap().0
}

/// The statements of `f`, by their texts, with the texts of those that the chains of what they read name; `outside` for what comes from elsewhere.
fn origins(p: &Program, text: &str, variable: &str) -> BTreeSet<String> {
    let unit = p.units.iter().find(|u| p.symbol(u.symbol).name == "f").unwrap();
    let of = |id: &str| unit.graph.node_weights().flat_map(|v| v.stmts()).find(|s| s.id == id).map(|s| s.text.to_string());
    let heads = unit.graph.node_weights().filter_map(|v| if let VertexKind::For(h) = &v.kind { Some([&h.init, &h.update]) } else { None });
    let heads: Vec<_> = heads.flatten().collect();
    let stmt = unit
        .graph
        .node_weights()
        .flat_map(|v| v.stmts())
        .find(|s| s.text == text && matches!(s.kind, StmtKind::Assignment { .. }))
        .unwrap();
    let StmtKind::Assignment { rhs, .. } = &stmt.kind else { unreachable!() };
    let mut key = 0;
    rhs.for_each_ref(&mut |r| {
        if p.symbol(r.symbol).name == variable {
            key = r.du_ud();
        }
    });
    let set = p.duud_sets.iter().find(|s| s.key == key && key != 0).unwrap_or_else(|| panic!("{variable} has no chain in {text}"));
    let named = |id: &str| {
        if id.is_empty() {
            "outside".to_owned()
        } else {
            of(id).unwrap_or_else(|| heads.iter().find(|h| h.id == id).unwrap().text.to_string())
        }
    };
    set.statements.iter().map(|id| named(id)).collect()
}

#[test]
fn chains_name_the_statements_that_values_come_from() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("f.c"), PROGRAM).unwrap();
    let p = annotated(folder.path(), "f.c", "c", "f(y)/(x)");
    let set = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect::<BTreeSet<String>>();
    assert_eq!(origins(&p, "double t = x[i] * x[i];", "i"), set(&["i = 0", "i++"]));
    assert_eq!(origins(&p, "s = s + twice(t);", "s"), set(&["double s = 0.0;", "s = s + twice(t);"]));
    assert_eq!(origins(&p, "*y = s;", "s"), set(&["double s = 0.0;", "s = s + twice(t);", "s = s * s;"]));
    assert!(origins(&p, "double t = x[i] * x[i];", "x").contains("outside"));
    // x and y may be one place in C, s is by itself.
    let address = |name: &str| {
        let mut key = 0;
        let unit = p.units.iter().find(|u| p.symbol(u.symbol).name == "f").unwrap();
        for s in unit.graph.node_weights().flat_map(|v| v.stmts()) {
            if let StmtKind::Assignment { lhs, rhs } = &s.kind {
                let mut look = |r: &xaif::model::VarRef| {
                    if p.symbol(r.symbol).name == name {
                        key = r.alias();
                    }
                };
                look(lhs);
                rhs.for_each_ref(&mut look);
            }
        }
        p.alias_sets.iter().find(|s| s.key == key && key != 0).unwrap_or_else(|| panic!("{name} has no address")).clone()
    };
    let meet = |a: &str, b: &str| {
        let (a, b) = (address(a), address(b));
        a.ranges.iter().any(|p| b.ranges.iter().any(|q| p.from <= q.to && q.from <= p.to))
    };
    assert!(meet("x", "y") && !meet("x", "s") && !meet("y", "s"));
    // There are no derivatives for which options could be.
    for option in [&["-b"][..], &["--head", "f(y)/(x)"], &["--facts", "f.json"], &["--extent", "x=n"], &["--certificate", "none"]] {
        let o = overbar(folder.path(), &[&["boost", "--annotate", "p.xaif"], option].concat());
        assert!(o.status.code() == Some(2) && o.stdout.is_empty(), "{option:?}");
    }
    // What is modified, and what is read before it is set.
    let unit = p.units.iter().find(|u| p.symbol(u.symbol).name == "f").unwrap();
    let names = |l: &Option<Vec<xaif::model::VarRef>>| -> BTreeSet<String> {
        l.as_ref().unwrap().iter().map(|r| p.symbol(r.symbol).name.to_string()).collect()
    };
    let modified = names(&unit.effects.modified);
    assert!(modified.contains("x") && modified.contains("y") && !modified.contains("n"), "{modified:?}");
    let entry = names(&unit.effects.on_entry);
    assert!(entry.contains("x") && entry.contains("n") && !entry.contains("s"), "{entry:?}");
}

/// With its facts written down a program is valid, nobody contradicts them, and its derivatives are the same.
#[test]
fn derivatives_of_annotated_programs_are_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let programs: [(&str, &str, &str); 5] = [
        ("samples/griewank/griewank.f90", "fortran", "griewank(c)/(a)"),
        ("samples/fragment/fragment.c", "c", "fragment(x)/(x,y)"),
        ("samples/bratu/bratu.f90", "fortran", "bratu(f)/(x,prm)"),
        ("samples/pendulum/pendulum.c", "c", "energy/(angle,length,damping)"),
        ("samples/newton/newton.f90", "fortran", "root(root)/(p,q)"),
    ];
    let mut tried = 0;
    for (file, language, head) in programs {
        let source: PathBuf = root().join(file);
        if !source.exists() {
            continue;
        }
        tried += 1;
        annotated(at, source.to_str().unwrap(), language, head);
        overbar_ok(at, &["validate", "a.xaif"]);
        overbar_ok(at, &["boost", "--annotate", "--dialect", "openad", "p.xaif", "-o", "o.xaif"]);
        overbar_ok(at, &["validate", "o.xaif"]);
        let made = |input: &str| {
            let o = overbar(at, &["boost", "-d", "-b", "--facts", "f.json", input, "-o", "b.xaif"]);
            let told = String::from_utf8_lossy(&o.stderr).into_owned();
            assert!(o.status.success() && !told.contains("OB412"), "{file}: {told}");
            overbar_ok(at, &["backend", language, "b.xaif"])
        };
        // The name of the request is of the bytes that were read.
        let without_request = |t: String| t.lines().filter(|l| !l.contains("Request ")).collect::<Vec<_>>().join("\n");
        assert_eq!(without_request(made("a.xaif")), without_request(made("p.xaif")), "{file}");
    }
    assert!(tried >= 4, "{tried}");
}
