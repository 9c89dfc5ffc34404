//! `--stats`: formulas against what the interpreter counts when it runs the code, and the file itself.

use crate::common;
use crate::formulas;

use common::overbar_ok;
use formulas::{Names, value};
use overbar::evaluate::{self, Data, Inputs, Limits, Value};
use overbar::stats::{Factor, Formula, collect};
use overbar::transform::Reversal;
use overbar::{Options, boost};
use xaif::Program;

fn parse(name: &str, text: &str) -> Program {
    if name.ends_with(".c") {
        let source = overbar_c::parse::SourceText { file: name, text };
        return overbar_c::parse(&[source], &overbar_c::ParseOptions { preprocess: true, ..Default::default() }).unwrap().0;
    }
    let source = overbar_fortran::parse::SourceText { file: name, text };
    overbar_fortran::parse(&[source], &overbar_fortran::ParseOptions::default()).unwrap().0
}

/// Runs the adjoint at a point with ones as seeds; whether the formulas had values there.
fn compared(name: &str, text: &str, head: &str, point: &str, reversal: Reversal) -> (bool, Vec<overbar::stats::UnitStats>) {
    let options = Options { adjoint: true, heads: vec![overbar::heads::parse_head(head).unwrap()], reversal, ..Options::default() };
    let made = boost(parse(name, text), &options).unwrap_or_else(|e| panic!("{name}: {e:?}")).program;
    let unit = made.unit_named("f_b").unwrap();
    let given = evaluate::json::request(point, made.index_order).unwrap().inputs.values;
    let mut inputs = given.clone();
    for f in &made.unit(unit).formals {
        let n = made.symbol(f.symbol).name.to_string();
        if !inputs.contains_key(&n) {
            let mut data = inputs.get(n.trim_end_matches('b')).cloned().unwrap_or_else(|| Data::real(1.0));
            data.values.iter_mut().for_each(|v| *v = Value::real(1.0));
            inputs.insert(n, data);
        }
    }
    let out = evaluate::run::<f64>(&made, unit, &Inputs { values: inputs, ..Inputs::default() }, &Limits::default());
    let out = out.unwrap_or_else(|e| panic!("{name}: {e:?}"));
    let list: Vec<(&str, Data<f64>)> = given.iter().map(|(n, d)| (n.as_str(), d.clone())).collect();
    (formulas::agree(&made, unit, &list, &out.counters), collect(&made))
}

#[test]
fn formulas_say_what_runs_record() {
    let c = |body: &str| {
        format!(
            "#include <math.h>\nvoid g(int m, double u[m], double *s) {{\n  for (int i = 0; i < m; i++) {{\n    *s = *s * u[i];\n    u[i] = u[i] * *s;\n  }}\n}}\nvoid f(int n, int m, double x[n], double y[1]) {{\n  double s = 1;\n{body}\n  y[0] = s * s;\n}}\n"
        )
    };
    let bodies = [
        ("iterations of one loop", "for (int i = 0; i < n; i++) s = s * x[i];", false),
        ("of two", "for (int i = 1; i < n; i++) for (int j = 0; j < m; j++) s = sin(s * x[i]) + j;", false),
        ("of a triangle", "for (int i = 0; i < n; i++) for (int j = i; j < n; j += 2) s = sin(s * x[j] + i);", true),
        ("whole arrays", "for (int k = 0; k < m; k++) { for (int i = 1; i < n - 1; i++) x[i] = x[i] * x[i + 1]; s = s * x[k]; }", false),
        ("a branch", "for (int i = 0; i < n; i++) if (x[i] > 0.5) s = s * x[i]; else s = sin(s);", true),
        ("calls", "g(n, x, &s); for (int k = 0; k < m; k++) g(n, x, &s);", false),
        (
            "snapshots",
            "for (int k = 0; k < 1; k++) s = s * x[0];\n#pragma overbar checkpoint 600\n  for (int t = 0; t < m; t++) { for (int i = 1; i < n; i++) x[i] = sin(x[i - 1] * x[i]); s = s * x[n - 1]; }",
            false,
        ),
    ];
    for (what, body, branches) in bodies {
        for reversal in [Reversal::Joint, Reversal::Split] {
            for (n, m) in [(4, 3), (2, 1), (7, 5)] {
                let x: Vec<String> = (0..n).map(|k| format!("{}", 0.3 + 0.2 * k as f64)).collect();
                let point = format!(r#"{{"args":{{"n":{n},"m":{m},"x":[{}],"y":[0]}}}}"#, x.join(","));
                let (defined, stats) = compared("f.c", &c(body), "f(x,y)/(x)", &point, reversal);
                assert!(defined, "{what}: {stats:?}");
                assert_eq!(stats.iter().any(|s| s.bound), branches, "{what}");
            }
        }
    }
    // Iterations that are not known have a name.
    let text = c("while (s < 10) s = s * x[0] + s;");
    let (defined, stats) = compared("f.c", &text, "f(x,y)/(x)", r#"{"args":{"n":2,"m":1,"x":[0.5,0.7],"y":[0]}}"#, Reversal::Auto);
    let s = stats.iter().find(|s| !s.symbols.is_empty()).unwrap();
    assert!(!defined && s.symbols[0].1.contains("iterations of the loop at line 10"), "{s:?}");
    let mut names = Names::new();
    names.insert(s.symbols[0].0.clone(), 5);
    assert!(value(&s.cost.taped, &names).is_some_and(|v| v % 5 == 0 && v > 0), "{}", s.cost.taped);
}

#[test]
fn the_reader_of_these_tests_reads_formulas() {
    let v = |name: &str| Formula::factor(Factor::Value(name.into()));
    let names = Names::from([("n".to_owned(), 3), ("m".to_owned(), 5)]);
    let f = Formula::number(8).times(&v("n")).times(&v("m - 1")).plus(&v("n - 7"));
    assert_eq!(value(&f, &names), Some(96));
    let s = Formula::factor(Factor::Sum {
        index: "i".into(),
        first: "0".into(),
        last: "n - 1".into(),
        step: "1".into(),
        of: Box::new(v("n - i")),
    });
    assert_eq!(value(&s.plus(&Formula::most(vec![v("n"), v("m")])), &names), Some(6 + 5));
    assert_eq!(value(&v("k"), &names), None);
}

/// One element or one column at a time: n calls save as much as one array has.
#[test]
fn calls_save_the_part_that_they_write() {
    let rows = "subroutine row(m, n, i, a)\n  implicit none\n  integer, intent(in) :: m, n, i\n  double precision, intent(inout) :: a(m, n)\n  integer :: j\n  do j = 2, m\n    a(j, i) = a(j, i)*a(j - 1, i) + sin(a(j, i))\n  end do\nend subroutine\nsubroutine f(m, n, a)\n  implicit none\n  integer, intent(in) :: m, n\n  double precision, intent(inout) :: a(m, n)\n  integer :: i\n  do i = 1, n\n    call row(m, n, i, a)\n  end do\nend subroutine\n";
    let points = "static void point(int i, double *a) {\n  a[i] = a[i] * a[i] * a[0];\n}\nvoid f(int n, double *a) {\n  for (int i = 1; i < n; i++)\n    point(i, a);\n}\n";
    for (name, text, recorded) in [("f.f90", rows, "8*(m - 1)*n"), ("f.c", points, "8*(n - 1)")] {
        let at = tempfile::tempdir().unwrap();
        std::fs::write(at.path().join(name), text).unwrap();
        overbar_ok(at.path(), &["diff", name, "-b", "--reversal", "joint", "--head", "f(a)/(a)", "--stats", "s.json", "-o", "out"]);
        let json: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(at.path().join("s.json")).unwrap()).unwrap();
        let unit = json["units"].as_array().unwrap().iter().find(|u| u["unit"] == "f_b").unwrap();
        assert_eq!(unit["peak_bytes"]["formula"], recorded, "{unit:#}");
    }
}

#[test]
fn the_file_names_variables_lines_and_reasons() {
    let at = tempfile::tempdir().unwrap();
    let text = "subroutine f(n, m, x, y)\n  implicit none\n  integer, intent(in) :: n, m\n  double precision, intent(in) :: x(n)\n  double precision, intent(out) :: y\n  integer :: i, j\n  y = 1\n  do i = 1, n\n    do j = 1, m\n      y = sin(y*x(i))\n    end do\n    y = y*x(i)\n  end do\nend subroutine\n";
    std::fs::write(at.path().join("f.f90"), text).unwrap();
    overbar_ok(at.path(), &["diff", "f.f90", "-b", "--head", "f(y)/(x)", "--stats", "s.json", "-o", "out.f90"]);
    let json: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(at.path().join("s.json")).unwrap()).unwrap();
    let unit = &json["units"][0];
    assert_eq!((unit["unit"].as_str(), unit["mode"].as_str()), (Some("f_b"), Some("adjoint")));
    assert_eq!(unit["recorded_bytes"]["formula"], "8*m*n + 8*n", "{json:#}");
    assert_eq!(unit["peak_bytes"]["formula"], "8*m*n + 8*n", "{json:#}");
    assert_eq!(unit["upper_bound"], false);
    let records = unit["records"].as_array().unwrap();
    let lines: Vec<u64> = records.iter().map(|r| r["line"].as_u64().unwrap()).collect();
    assert_eq!(lines, [10, 12], "{json:#}");
    assert!(records.iter().all(|r| r["variable"] == "y" && r["bytes_each_time"]["value"] == 8 && r["file"] == "f.f90"), "{json:#}");
    let loops = unit["loops"].as_array().unwrap();
    assert!(loops.iter().any(|l| l["line"] == 8 && l["iterations"]["formula"] == "n"), "{json:#}");
    // By way of XAIF the same.
    overbar_ok(at.path(), &["frontend", "fortran", "f.f90", "-o", "f.xaif"]);
    overbar_ok(at.path(), &["boost", "f.xaif", "-b", "--head", "f(y)/(x)", "--stats", "t.json", "-o", "g.xaif"]);
    let again: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(at.path().join("t.json")).unwrap()).unwrap();
    assert_eq!(json, again);
}

/// What is recorded for a unit, in all its derivative units.
fn values_recorded(text: &str, head: &str) -> usize {
    let options = Options { adjoint: true, heads: vec![overbar::heads::parse_head(head).unwrap()], ..Options::default() };
    let made = boost(parse("f.c", text), &options).unwrap_or_else(|e| panic!("{e:?}")).program;
    collect(&made).iter().map(|s| s.records.len()).sum()
}

#[test]
fn pointers_that_all_calls_keep_apart_and_integers_that_count_record_nothing() {
    let text = |call: &str| {
        format!(
            "static void packed(int n, const double *l, const double *x, double *out) {{\n  int at = 0;\n  for (int i = 0; i < n; i++) out[i] = l[i] * x[i];\n  for (int i = 0; i < n; i++)\n    for (int j = i + 1; j < n; j++) {{\n      out[j] = out[j] + l[at] * x[i];\n      at++;\n    }}\n}}\n\
             void f(int n, double *l, double *x, double *y) {{\n  double w[9];\n  {call}\n  for (int i = 0; i < n; i++) y[i] = w[i];\n}}\n"
        )
    };
    assert_eq!(values_recorded(&text("packed(n, l, x, w);"), "f(y)/(l,x)"), 0);
    let overlapping = "for (int i = 0; i < n; i++) w[i] = x[i];\n  packed(n, l, w, w);";
    assert!(values_recorded(&text(overlapping), "f(y)/(l,x)") > 0, "one array for both");
}

#[test]
fn scalars_that_follow_from_indices_record_nothing() {
    let text = |body: &str| {
        format!(
            "double f(int n, const int *idx, const double *w, double *x) {{\n  double s = 1;\n  for (int t = 0; t < 3; t++)\n    for (int i = 0; i < n; i++) {{\n{body}\n    }}\n  return s;\n}}\n"
        )
    };
    let recorded = |body: &str| values_recorded(&text(body), "f(f,x)/(x)");
    assert_eq!(recorded("      int k = (i + t) % n; s = s * x[k];"), 1, "the product");
    assert_eq!(recorded("      int k = idx[i], m = (k + 1) % n; double a = 2 * w[k]; s = s * a * x[m];"), 1, "one from the other");
    assert_eq!(recorded("      int k = idx[i]; if (k > 2) { int m = k - 2; s = s * x[m]; }"), 1, "the branch and what it reads");
    assert_eq!(recorded("      int m = i / 2; for (int j = m; j < i; j++) s = s * x[j];"), 1, "bounds of loops");
    assert_eq!(
        recorded("      int k = x[i] > 0.5; s = s * x[k]; x[i] = s;"),
        2,
        "what changes afterwards, and decides again once it is back"
    );
}

/// Bounds that ALLOCATE gives are known in loops over the array.
#[test]
fn loops_over_allocated_arrays_have_their_bounds() {
    let at = tempfile::tempdir().unwrap();
    let text = "subroutine f(n, nt, x, k, y)\n  integer, intent(in) :: n, nt\n  real(8), intent(in) :: x(n), k(n)\n  real(8), intent(out) :: y\n  real(8), allocatable :: u(:), v(:)\n  integer :: i, t\n  allocate (u(n), v(n))\n  u = x\n  v = x\n  do t = 1, nt\n    do i = 2, n - 1\n      v(i) = u(i) + k(i)*(u(i - 1) - 2*u(i) + u(i + 1))\n    end do\n    u = v\n  end do\n  y = sum(u**2)\n  deallocate (u, v)\nend subroutine\n";
    std::fs::write(at.path().join("f.f90"), text).unwrap();
    overbar_ok(at.path(), &["diff", "f.f90", "-b", "--head", "f(y)/(x,k)", "-o", "g.f90"]);
    let made = std::fs::read_to_string(at.path().join("g.f90")).unwrap();
    assert!(!made.contains("bound(") && !made.contains("overbar_push"), "{made}");
}
