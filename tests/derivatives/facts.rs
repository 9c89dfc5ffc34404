//! Facts against sets worked out by hand: those of FLW2D1COL (Araya-Polo and Hascoët 2004, Sections 5 to 7), and of small programs.

use crate::common;

use common::{overbar_ok, overbar_with_input, root};
use serde_json::Value as Json;
use std::path::Path;

const HEAD: &str = "FLW2D1COL(rh3,rh4,sq)/(t3,pres,vnocl,g3,g4,rh3,rh4,sq)";

/// The facts about a source text, and the derivative code.
fn facts(file: &str, text: &str, arguments: &[&str]) -> (Json, String) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(file), text).unwrap();
    let code = overbar_ok(folder.path(), &[&["diff", file, "--facts", "facts.json"], arguments].concat());
    (read(&folder.path().join("facts.json")), code)
}

fn read(path: &Path) -> Json {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn unit<'a>(facts: &'a Json, name: &str) -> &'a Json {
    facts["units"].as_array().unwrap().iter().find(|u| u["unit"] == name).unwrap_or_else(|| panic!("no unit {name}"))
}

fn names(list: &Json) -> String {
    list.as_array().unwrap().iter().map(|n| n.as_str().unwrap()).collect::<Vec<_>>().join(" ")
}

/// The statements of a line, as the originals or as an adjoint has them.
fn at(list: &Json, line: u64) -> &Json {
    list.as_array().unwrap().iter().find(|s| s["line"] == line).unwrap_or_else(|| panic!("nothing in line {line}"))
}

fn flw2d1col() -> (Json, String) {
    let text = std::fs::read_to_string(root().join("samples/flw2d1col/flw2d1col.f")).unwrap();
    facts("flw2d1col.f", &text, &["-b", "--head", HEAD, "--inline", "never"])
}

#[test]
fn the_sets_of_flw2d1col() {
    let (facts, _) = flw2d1col();
    let flw = unit(&facts, "FLW2D1COL");
    assert_eq!(names(&flw["effects"]["R"]), "g3 g4 nsg1 nsg2 nubo pres rh3 rh4 sq t3 vnocl");
    assert_eq!(names(&flw["effects"]["W"]), "rh3 rh4 sq");
    let adjoint = &flw["adjoints"][0];
    // The paper joins { sq } as far as the adjoint of LSTCHK reads and overwrites it: that of the stand-in does neither.
    let check = &unit(&facts, "LSTCHK")["adjoints"][0];
    assert_eq!((names(&check["N"]), names(&check["W"])), ("pm".into(), String::new()));
    assert_eq!(names(&adjoint["N"]), "g3 g4 nsg1 nsg2 nubo pres t3 vnocl");
    assert_eq!(names(&adjoint["W"]), "");
    // dplim, rh3 and rh4 are not necessary; all that adjoints read is set again, in the reverse sweep, from what nobody overwrites: nothing is recorded.
    let executed = |line| at(&adjoint["statements"], line)["executed"].as_bool().unwrap();
    assert_eq!((10..=21).find(|&l| executed(l)), None);
    for s in adjoint["statements"].as_array().unwrap() {
        assert_eq!(s["recorded"], Json::Array(Vec::new()), "{s}");
    }
    assert_eq!(at(&adjoint["statements"], 21)["snapshot"], Json::Array(Vec::new()));
    assert_eq!(at(&adjoint["statements"], 9)["control"], "computed again");
}

#[test]
fn sq_joins_the_sets_where_the_adjoint_of_the_check_needs_it() {
    let text = std::fs::read_to_string(root().join("samples/flw2d1col/flw2d1col.f")).unwrap();
    let text = text.replace("sq = sq + pm*pm", "sq = sq*pm\n      sq = sq*sq");
    let (facts, _) = facts("flw2d1col.f", &text, &["-b", "--head", HEAD, "--inline", "never"]);
    let check = &unit(&facts, "LSTCHK")["adjoints"][0];
    assert_eq!((names(&check["N"]), names(&check["W"])), ("pm sq".into(), String::new()), "sq is recorded before it is overwritten");
    let adjoint = &unit(&facts, "FLW2D1COL")["adjoints"][0];
    assert_eq!(names(&adjoint["N"]), "g3 g4 nsg1 nsg2 nubo pres sq t3 vnocl");
    // It is what an iteration has of the one before it, and the call overwrites it; all else is set again.
    let (head, call) = (at(&adjoint["statements"], 9), at(&adjoint["statements"], 21));
    assert_eq!((&head["control"], &head["recorded"]), (&Json::from("computed again"), &Json::Array(Vec::new())), "{head}");
    assert_eq!((names(&call["snapshot"]), &call["recorded"][0]["variable"]), ("sq".into(), &Json::from("sq")), "{call}");
}

/// The adjoint of each statement has scratch variables of its own while increments are merged: each place is incremented once.
#[test]
fn increments_pass_what_sets_scratch_variables() {
    let text = std::fs::read_to_string(root().join("tests/c_programs/shared_increments.c")).unwrap();
    let (_, code) = facts("shared_increments.c", &text, &["-b", "--head", "shared_increments(y)/(w,x,y)", "--certificate", "both"]);
    let adjoint = code.split("void shared_increments_b").nth(1).unwrap();
    for place in ["*wb", "xb[i]", "xb[i - 1]"] {
        let sets = |l: &&str| l.trim_start().starts_with(&format!("{place} = ")) || l.trim_start().starts_with(&format!("{place} += "));
        assert_eq!(adjoint.lines().filter(sets).count(), 1, "{place}: {adjoint}");
    }
}

/// An element that no iteration of the inner loop sets is read once before it: the loop has an iteration, and j is never i.
#[test]
fn elements_that_stay_the_same_are_read_once() {
    let text = "void solve(int n, const double *l, double *x) {\n  for (int i = 1; i < n; i++)\n    for (int j = 0; j < i; j++)\n      x[i] -= l[i * n + j] * x[j];\n}\n";
    let head = ["-b", "--head", "solve(x)/(l,x)", "--certificate", "both"];
    let outside = |text: &str| {
        let (_, code) = facts("solve.c", text, &head);
        let adjoint = code.split("void solve_b").nth(1).unwrap();
        assert_eq!(adjoint.matches("xb[i]").count(), 1, "{adjoint}");
        adjoint.find("xb[i]") < adjoint.rfind("for (int j")
    };
    assert!(outside(text));
    // Where the two may be the same, each iteration reads what is there.
    assert!(!outside(&text.replace("j < i", "j <= i")));
}

#[test]
fn increments_of_flw2d1col_are_merged() {
    let (_, code) = flw2d1col();
    let adjoint = code.split("subroutine FLW2D1COL_b").nth(1).unwrap().split("end subroutine").next().unwrap();
    let lines: Vec<&str> =
        adjoint.lines().map(str::trim).filter(|l| l.contains(" = ") && !l.starts_with('!') && !l.starts_with("do")).collect();
    // The order and form of Figure 3, but for the dead statements, and for pm's adjoint, which starts from zero.
    let want = [
        "is1 = nubo(1, iseg)",
        "is2 = nubo(2, iseg)",
        "qsor = t3(is1)*vnocl(2, iseg)",
        "qs = t3(is2)*vnocl(2, iseg)",
        "pm = pres(is1) + pres(is2)",
        "pmb = 0.0d0",
        "dplimb = rh3b(is1) - rh3b(is2)",
        "qsorb = g3(is1)*dplimb",
        "g3b(is1) = g3b(is1) + qsor*dplimb",
        "qsb = g3(is2)*dplimb",
        "g3b(is2) = g3b(is2) + qs*dplimb",
        "pmb = pmb + vnocl(2, iseg)*dplimb",
        "vnoclb(2, iseg) = vnoclb(2, iseg) + pm*dplimb",
        "presb(is1) = presb(is1) + pmb",
        "presb(is2) = presb(is2) + pmb",
        "dplimb = rh4b(is1) - rh4b(is2)",
        "qsorb = qsorb + g4(is1)*dplimb",
        "g4b(is1) = g4b(is1) + qsor*dplimb",
        "qsb = qsb + g4(is2)*dplimb",
        "g4b(is2) = g4b(is2) + qs*dplimb",
        "t3b(is2) = t3b(is2) + vnocl(2, iseg)*qsb",
        "vnoclb(2, iseg) = vnoclb(2, iseg) + t3(is2)*qsb",
        "t3b(is1) = t3b(is1) + vnocl(2, iseg)*qsorb",
    ];
    assert_eq!(lines, want);
    assert!(adjoint.contains("+ t3(is2)*qsb\n     &      + t3(is1)*qsorb"), "{adjoint}");
}

#[test]
fn facts_of_a_small_program() {
    let text = "double f(int n, const double *x, double a) {
  double s = 0.0, t = a;
  for (int i = 0; i < n; i++) {
    t = t * x[i];
    s += t;
    if (s > 10.0) {
      s = s / 2;
    }
  }
  return s;
}
";
    let (facts, _) = facts("f.c", text, &["-b", "--head", "f/(x,a)"]);
    let f = unit(&facts, "f");
    assert_eq!(names(&f["effects"]["R"]), "a n x");
    assert_eq!((f["line"].clone(), f["file"].clone()), (Json::from(1), Json::from("f.c")));
    let active = names(&f["activity"]["active"]);
    assert!(active.contains("a") && active.contains('s') && active.contains('t') && !active.contains('n'), "{active}");
    let product = at(&f["statements"], 4);
    let number = product["number"].as_u64().unwrap();
    // t comes from its first value or from the iteration before.
    let start = f["statements"].as_array().unwrap().iter().find(|s| s["line"] == 2 && s["definitions"].get("t").is_some()).unwrap();
    assert_eq!(product["uses"]["t"], serde_json::json!([start["number"], number]));
    assert_eq!(product["uses"]["x"], serde_json::json!([0]));
    assert_eq!(product["active"], true);
    let sum = at(&f["statements"], 5)["number"].as_u64().unwrap();
    assert_eq!(product["definitions"]["t"], serde_json::json!([number, sum]));
    let arrow = f["dependences"].as_array().unwrap().iter().find(|d| d["from"] == number && d["to"] == sum).unwrap();
    assert_eq!((&arrow["variable"], &arrow["kind"]), (&Json::from("t"), &Json::from("wr")));
    let adjoint = &f["adjoints"][0];
    assert_eq!(adjoint["unit"], "f_b");
    // The product reads t in its adjoint; the sum and the quotient by a constant read nothing.
    let record = &at(&adjoint["statements"], 4)["recorded"];
    assert_eq!(*record, serde_json::json!([{"variable": "t", "needed_by": [4]}]));
    assert_eq!(at(&adjoint["statements"], 5)["recorded"], serde_json::json!([]));
    assert_eq!(at(&adjoint["statements"], 6)["control"], "recorded", "s changes, so the condition cannot be computed again");
    assert_eq!(names(&adjoint["N"]), "a n x");
}

#[test]
fn overlaps_and_snapshots() {
    let text = "static void g(double *u, double *v) {
  *u = *u * *v;
}
double f(double *p, double *q) {
  double a = *p;
  g(&a, q);
  g(&a, q);
  *q = *q * *q;
  return a * *q;
}
";
    let (facts, _) = facts("f.c", text, &["-b", "--may-overlap", "--reversal", "joint", "--head", "f(f)/(p,q)"]);
    let f = unit(&facts, "f");
    assert_eq!(f["aliases"], serde_json::json!([{"first": "p", "second": "q", "because": "declaration"}]));
    let adjoint = &f["adjoints"][0];
    // Both calls need u and v; a is changed by the calls themselves, q by the statement behind them, which records it for both.
    for line in [6, 7] {
        assert_eq!(names(&at(&adjoint["statements"], line)["snapshot"]), "a", "line {line}");
    }
    assert_eq!(at(&adjoint["statements"], 8)["recorded"], serde_json::json!([{"variable": "q", "needed_by": [6, 7, 8]}]));
}

#[test]
fn facts_are_the_same_every_time_and_from_xaif() {
    let folder = tempfile::tempdir().unwrap();
    let file = root().join("samples/flw2d1col/flw2d1col.f");
    let file = file.to_str().unwrap();
    let mut texts = Vec::new();
    for name in ["a.json", "b.json"] {
        overbar_ok(folder.path(), &["diff", file, "-d", "-b", "--head", HEAD, "--facts", name]);
        texts.push(std::fs::read_to_string(folder.path().join(name)).unwrap());
    }
    let parsed = overbar_ok(folder.path(), &["frontend", "fortran", file]);
    let boosted = overbar_with_input(folder.path(), &["boost", "-d", "-b", "--head", HEAD, "--facts", "c.json"], parsed.as_bytes());
    assert!(boosted.status.success());
    texts.push(std::fs::read_to_string(folder.path().join("c.json")).unwrap());
    assert_eq!(texts[0], texts[1]);
    assert_eq!(texts[0], texts[2], "the pipe knows as much");
}

/// A pipe stays a pipe: what is written to it goes through.
#[cfg(unix)]
#[test]
fn output_goes_through_a_pipe_that_is_there() {
    use std::os::unix::fs::FileTypeExt;
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    common::silently(at, "mkfifo", &["facts.pipe"]);
    let reader = std::thread::spawn({
        let path = at.join("facts.pipe");
        move || std::fs::read_to_string(path).unwrap()
    });
    let file = root().join("samples/chain/chain.c");
    overbar_ok(at, &["diff", file.to_str().unwrap(), "-b", "--head", "chain/(x,y)", "--facts", "facts.pipe"]);
    assert!(reader.join().unwrap().starts_with('{'));
    assert!(std::fs::metadata(at.join("facts.pipe")).unwrap().file_type().is_fifo());
}

/// Facts of a program whose file says what reaches the read of `a` in the last statement, what is modified, and where `a` lies.
fn carried(chain: &[&str], modified: &str, places: [u64; 2]) -> (Json, Vec<&'static str>) {
    use overbar::analysis::{Activity, Facts};
    use xaif::model::{AliasRange, AliasSet, StatementSet, StmtKind, VarRef, VertexKind};
    let text = "subroutine f(x, y)
  real(8), intent(in) :: x
  real(8), intent(out) :: y
  real(8) :: a
  a = x*x
  y = a*x
end subroutine
";
    let source = overbar_fortran::parse::SourceText { file: "f.f90", text };
    let (mut program, _) = overbar_fortran::parse(&[source], &Default::default()).unwrap_or_else(|d| panic!("{d:?}"));
    let unit = program.unit_named("f").unwrap();
    let scope = program.unit(unit).scope;
    let symbol = |name: &str| program.lookup(scope, name).unwrap();
    let (a, x) = (symbol("a"), symbol("x"));
    let modified: Vec<VarRef> = modified.split(' ').map(|n| VarRef::whole(symbol(n))).collect();
    program.duud_sets = vec![StatementSet { key: 1, statements: chain.iter().map(|&s| s.into()).collect() }];
    let set = |key: u32, from: u64| AliasSet { key, ranges: vec![AliasRange { from, to: from, partial: false }] };
    program.alias_sets = vec![set(2, places[0]), set(3, places[1])];
    let u = &mut program.units[unit.index()];
    (u.effects.read, u.effects.modified) = (Some(vec![VarRef::whole(x)]), Some(modified));
    let mut number = 0;
    for vertex in u.graph.node_weights_mut() {
        let VertexKind::Block { stmts, .. } = &mut vertex.kind else { continue };
        for s in stmts {
            number += 1;
            s.id = format!("s{number}").into();
            let StmtKind::Assignment { lhs, rhs } = &mut s.kind else { continue };
            if lhs.symbol == a {
                lhs.set_keys(2, 0);
            }
            rhs.for_each_ref_mut(&mut |r| {
                if r.symbol == a {
                    r.set_keys(3, 1);
                }
            });
        }
    }
    assert_eq!(number, 2);
    let facts = Facts::of(&program);
    let (document, problems) = overbar::facts::of_program(&program, &facts, &Activity::from_flags(&program, &facts));
    let json = serde_json::from_str(&overbar::facts::json(&document)).unwrap();
    (json, problems.iter().map(|d| d.code).collect())
}

#[test]
fn carried_facts_are_used_unless_they_cannot_be() {
    let last = |facts: &Json| at(&unit(facts, "f")["statements"], 6).clone();
    let (facts, problems) = carried(&["s1"], "y", [7, 7]);
    assert_eq!(problems, [""; 0]);
    assert_eq!((&last(&facts)["uses"]["a"], &last(&facts)["from_file"]), (&serde_json::json!([1]), &serde_json::json!(["a"])));
    assert_eq!(unit(&facts, "f")["effects"]["source"], "file");
    // More than reaches is no contradiction.
    let (facts, problems) = carried(&["", "s1"], "y", [7, 7]);
    assert!(problems.is_empty());
    assert_eq!(last(&facts)["uses"]["a"], serde_json::json!([0, 1]));
    // The only assignment is left out; a statement that is not there; a list without y; a in two places.
    for (chain, modified, places, code) in [
        (&[""][..], "y", [7, 7], "OB4120"),
        (&["s1", "s9"], "y", [7, 7], "OB4120"),
        (&["s1"], "x", [7, 7], "OB4121"),
        (&["s1"], "y", [7, 8], "OB4122"),
    ] {
        let (facts, problems) = carried(chain, modified, places);
        assert_eq!(problems, [code]);
        assert_eq!(last(&facts)["uses"]["a"], serde_json::json!([1]), "what was computed stands");
        assert_eq!(names(&unit(&facts, "f")["effects"]["W"]), "y");
    }
}

/// What of the work arrays of a loop over time is recorded: the statements of these lines with the variables that they record.
fn recorded(text: &str, head: &str, unit_name: &str) -> (Vec<(u64, String)>, String) {
    recorded_in("f.f90", text, head, unit_name)
}

fn recorded_in(file: &str, text: &str, head: &str, unit_name: &str) -> (Vec<(u64, String)>, String) {
    let (facts, _) = facts(file, text, &["-b", "--head", head]);
    let adjoint = &unit(&facts, unit_name)["adjoints"][0];
    let of = |s: &Json| {
        let list = s["recorded"].as_array().unwrap().iter().map(|r| r["variable"].as_str().unwrap());
        (s["line"].as_u64().unwrap(), list.collect::<Vec<_>>().join(" "))
    };
    let list = adjoint["statements"].as_array().unwrap().iter();
    (list.map(of).filter(|(_, names)| !names.is_empty()).collect(), names(&adjoint["N"]))
}

#[test]
fn arrays_that_loops_set_in_all_are_not_needed_before() {
    let program = |first: &str, last: &str, extent: &str| {
        format!(
            "subroutine f(n, x, y, w)\ninteger, intent(in) :: n\nreal(8), intent(in) :: x(n)\nreal(8), intent(inout) :: y(n), w({extent})\n\
             integer :: i, k\ndo k = 1, 3\ndo i = {first}, {last}\nw(i) = y(i)*x(i)\nend do\ndo i = 1, n\ny(i) = sin(w(i))\nend do\n\
             do i = {first}, {last}\nw(i) = y(i) + x(i)\nend do\ndo i = 1, n\ny(i) = y(i) + w(n + 1 - i)\nend do\nend do\nend subroutine f\n"
        )
    };
    let head = "f(y)/(x)";
    // The sine needs what line 8 has set, which line 14 overwrites; nothing needs what line 14 has set.
    let all = recorded(&program("1", "n", "n"), head, "f");
    assert_eq!(all, (vec![(11, "y".into()), (14, "w".into())], "n x y".into()));
    assert_eq!(recorded(&program("n", "1, -1", "n"), head, "f"), all, "the other way round is the same");
    // A part; more than there is for all that is known; every other one.
    for (first, last, extent) in [("2", "n", "n"), ("1", "n", "n + 1"), ("1", "n, 2", "n")] {
        let part = recorded(&program(first, last, extent), head, "f");
        let has = |line: u64| part.0.iter().any(|(l, names)| *l == line && names == "w");
        assert!(has(8) && has(14) && part.1.contains('w'), "w({extent}) from {first} to {last}: {part:?}");
    }
}

#[test]
fn histories_record_nothing() {
    let text = std::fs::read_to_string("tests/fortran_programs/histories.f90").unwrap();
    for (head, unit, wanted) in [
        ("chain(s)/(x)", "chain", ""),
        ("orbit(s)/(y,h)", "orbit", ""),
        ("swept(s)/(x,y)", "swept", ""),
        ("down(s)/(x)", "down", ""),
        // What the iteration before has read; what code before the loop needs; what the history was before it began anew.
        ("ahead(s)/(x)", "ahead", "a b a"),
        ("used_before(s)/(x)", "used_before", "u"),
        ("again(s)/(x)", "again", "v v"),
    ] {
        let found: Vec<String> = recorded(&text, head, unit).0.into_iter().map(|(_, names)| names).collect();
        assert_eq!(found.join(" "), wanted, "{unit}");
    }
}

/// Bounds of loops tell what is never read before it is overwritten.
#[test]
fn what_loops_in_triangles_overwrite_is_not_recorded() {
    let start = "#include <math.h>\n#include <stdlib.h>\n#define AT(i, j) ((i) * (n + 1) + (j))";
    let of = |body: &str| format!("{start}\nvoid f(int n, double a[restrict n][n], double *restrict t) {{\n{body}\n}}\n");
    let lu = |row: &str| format!("for (int k = 0; k < n; k++)\nfor (int i = k + 1; i < n; i++)\nfor (int j = k + 1; j < n; j++)\n{row}");
    for (body, wanted) in [
        // Rows and columns behind k; flat, in rows of n and of n + 1.
        (lu("a[i][j] -= a[i][k] * a[k][j];"), ""),
        (lu("t[i * n + j] -= t[i * n + k] * t[k * n + j];"), ""),
        (lu("t[AT(i, j)] -= t[AT(i, k)] * t[AT(k, j)];"), ""),
        (lu("t[(size_t)i * n + j] += sin(t[(size_t)k * n + j]);"), ""),
        // Cholesky: columns before j.
        ("for (int j = 0; j < n; j++)\nfor (int i = j; i < n; i++)\nfor (int k = 0; k < j; k++)\na[i][j] -= a[i][k] * a[j][k];".into(), ""),
        // What is left of j in this row and the one above.
        ("for (int i = 1; i <= n; i++)\nfor (int j = 1; j <= n; j++)\nt[AT(i, j)] = sin(t[AT(i - 1, j)]) * t[AT(i, j - 1)];".into(), ""),
        // Row k itself is overwritten after it was read, and rows of n do not end at n.
        ("for (int k = 0; k < n; k++)\nfor (int i = k; i < n; i++)\nfor (int j = k + 1; j < n; j++)\na[i][j] -= a[i][k] * a[k][j];".into(), "a"),
        ("for (int k = 0; k < n; k++)\nfor (int i = k + 1; i < n; i++)\nfor (int j = k + 1; j <= n; j++)\nt[i * n + j] -= t[i * n + k] * t[k * n + j];".into(), "t"),
        // The width changes on the way; the index does, too.
        ("int w = n;\nfor (int k = 0; k < n; k++) {\nfor (int i = k + 1; i < n; i++)\nfor (int j = k + 1; j < w; j++)\nt[i * w + j] -= t[i * w + k] * t[k * w + j];\nw = w - 1; }".into(), "t"),
    ] {
        let found: std::collections::BTreeSet<String> =
            recorded_in("f.c", &of(&body), "f(a,t)/(a,t)", "f").0.into_iter().map(|(_, names)| names).filter(|n| n != "w").collect();
        assert_eq!(found.into_iter().collect::<Vec<_>>().join(" "), wanted, "{body}");
    }
}

#[test]
fn subscripts_at_the_end_of_the_integers_do_no_harm() {
    let text = "
subroutine f(n, x, s)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: s
  real(8) :: a(n)
  integer(8) :: i
  a = 1
  do i = n, 1, -1
    a(i - 9223372036854775807_8 - 1_8) = x(i)*a(i)
  end do
  s = a(1)*a(1)
end subroutine
";
    assert_eq!(recorded(text, "f(s)/(x)", "f").0.len(), 1);
}

/// The lines of the statements from which a variable may have its value in a line; 0: on entry.
fn sources(unit: &Json, line: u64, variable: &str) -> Vec<u64> {
    let list = unit["statements"].as_array().unwrap();
    let line_of = |n: &Json| list.iter().find(|s| s["number"] == *n).map_or(0, |s| s["line"].as_u64().unwrap());
    let reads = list.iter().find(|s| s["line"] == line && s["uses"].get(variable).is_some());
    let reads = reads.unwrap_or_else(|| panic!("nothing reads {variable} in line {line}"));
    reads["uses"][variable].as_array().unwrap().iter().map(line_of).collect()
}

#[test]
fn elements_have_chains_of_their_own() {
    let text = "void f(int n, int k, double a[restrict n], const double x[restrict n], double y[restrict 9]) {
  a[0] = x[0];
  a[1] = x[1];
  y[0] = a[0];
  y[1] = a[1] + a[2];
  for (int i = 3; i < n; i++) {
    a[i] = x[i];
    y[2] = a[i];
    y[3] = a[i - 1];
    a[i + 1] = x[i];
    y[4] = a[i];
    a[k] = 1.0;
    y[5] = a[i];
    i = i + 1;
    y[6] = a[i];
  }
  y[7] = a[0] * a[k];
  k = 2;
  y[8] = a[k];
}
";
    let (facts, _) = facts("f.c", text, &["-b", "--head", "f(y)/(x)"]);
    let f = unit(&facts, "f");
    let expected: [(u64, &[u64]); 9] = [
        (4, &[2]),
        (5, &[0, 3]),
        (8, &[7]),
        // Any iteration may have set it, or none.
        (9, &[0, 2, 3, 7, 10, 12]),
        (11, &[7]),
        (13, &[7, 12]),
        (15, &[0, 2, 3, 7, 10, 12]),
        (17, &[0, 2, 3, 7, 10, 12]),
        (19, &[0, 2, 3, 7, 10, 12]),
    ];
    for (line, lines) in expected {
        assert_eq!(sources(f, line, "a"), lines, "line {line}");
    }
}
