//! Calls reversed by cost: the plan is one that directives could have asked for, it is explained, and its derivatives are right.

use crate::common;

use common::{STRICT_C, overbar, overbar_ok, runtime, silently};
use overbar::transform::{Inline, Reversal};
use overbar::verify::{Request, Verdict, verify};
use overbar::{Options, boost};
use xaif::Program;

/// `heavy` computes much and keeps little, `many` keeps much and computes little.
const TEXT: &str = "#include <math.h>
static double heavy(double x) {
  double s = sin(x), t = exp(s), u = log(1 + t * t), v = sqrt(u + s * s);
  return v * cos(t) * atan(u);
}
static void many(int n, double z[n]) {
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < n; i++) {
      z[i] = z[i] * z[i] * 0.5;
    }
  }
}
#pragma overbar head f(y)/(x)
void f(int n, double x[n], double y[1]) {
  double w[3], r = 1.0;
  for (int i = 0; i < 3; i++) {
    w[i] = x[i] * heavy(x[i]) + 1.0;
    r = r * heavy(w[i]);
  }
  many(3, w);
  y[0] = r * w[0] + w[1] * w[2];
}
";

fn parse(text: &str) -> Program {
    let source = overbar_c::parse::SourceText { file: "f.c", text };
    overbar_c::parse(&[source], &Default::default()).unwrap_or_else(|d| panic!("{d:?}")).0
}

fn by_cost() -> Options {
    Options { adjoint: true, reversal: Reversal::ByCost, inline: Inline::Never, ..Options::default() }
}

fn certify(p: &Program, options: Options) -> Verdict {
    let at = r#"{"args":{"n":3,"x":[0.5,0.75,1.25],"y":[0]}}"#;
    let values = overbar::evaluate::json::request(at, p.index_order).unwrap().inputs.values;
    let head = p.heads[0].clone();
    let request = Request { head, values: Some(values), seed: 1, options, limits: Default::default(), interpret: true, workshop: None };
    verify(p, &request).unwrap().verdict
}

#[test]
fn what_keeps_little_goes_to_a_pair() {
    let p = parse(TEXT);
    let boosted = boost(p.clone(), &by_cost()).unwrap();
    let of = |callee: &str| boosted.calls.iter().filter(|c| c.callee == callee).map(|c| c.split).collect::<Vec<_>>();
    assert_eq!((of("heavy"), of("many")), (vec![true, true], vec![false]), "{:?}", boosted.calls);
    let made = &boosted.program;
    assert!(made.unit_named("heavy_bwd").is_some() && made.unit_named("heavy_b").is_none());
    assert!(made.unit_named("many_b").is_some() && made.unit_named("many_bwd").is_none());
    assert!(
        made.units.iter().flat_map(|u| u.graph.node_weights()).flat_map(|v| v.stmts()).all(|s| s.reversal.is_none()),
        "no directive is left behind"
    );
    assert_eq!(certify(&p, by_cost()), Verdict::Pass);
    // Each choice is the cheaper one.
    for c in &boosted.calls {
        assert_eq!(c.split, c.pair < c.joint);
    }
}

#[test]
fn the_plan_is_that_of_the_directives() {
    let directed = TEXT
        .replace("    w[i] =", "    #pragma overbar reversal split\n    w[i] =")
        .replace("    r = r", "    #pragma overbar reversal split\n    r = r");
    let strip = |p: &Program| overbar_c::unparse(p, &overbar_c::UnparseOptions { no_primal: true, header: false }).map(|u| u.source);
    let made = boost(parse(TEXT), &by_cost()).unwrap().program;
    let asked = boost(parse(&directed), &Options { adjoint: true, inline: Inline::Never, ..Options::default() }).unwrap().program;
    let names = |p: &Program| p.unit_ids().map(|u| p.unit_name(u).to_owned()).collect::<Vec<_>>();
    assert_eq!(names(&made), names(&asked));
    if let (Ok(a), Ok(b)) = (strip(&made), strip(&asked)) {
        let code = |t: &str| t.lines().filter(|l| !l.contains("Overbar")).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(code(&a), code(&b));
    }
}

#[test]
fn directives_and_recursion_stay_as_they_are() {
    let p = parse(&TEXT.replace("static double heavy", "#pragma overbar reversal joint\nstatic double heavy"));
    let boosted = boost(p.clone(), &by_cost()).unwrap();
    assert!(boosted.calls.iter().all(|c| c.callee != "heavy") && boosted.program.unit_named("heavy_b").is_some());
    assert_eq!(certify(&p, by_cost()), Verdict::Pass);
    let p = parse(
        "#include <math.h>
double power(int k, double x) {
  if (k == 0) {
    return 1.0;
  }
  double r = power(k - 1, x);
  return sin(r * x);
}
#pragma overbar head f(y)/(x)
void f(int n, double x[n], double y[1]) {
  double r = power(3, x[0]);
  y[0] = r * r * x[1];
}
",
    );
    let boosted = boost(p.clone(), &by_cost()).unwrap();
    assert!(boosted.calls.is_empty(), "{:?}", boosted.calls);
    assert_eq!(certify(&p, by_cost()), Verdict::Pass);
}

#[test]
fn choices_are_explained_and_the_code_runs() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("f.c"), TEXT).unwrap();
    let out = overbar(at, &["diff", "f.c", "-b", "--reversal", "auto", "--inline", "never", "--explain", "-o", "g.c"]);
    let text = String::from_utf8_lossy(&out.stderr);
    assert!(
        out.status.success() && text.contains("f.c:17: call of heavy in f: split") && text.contains("f.c:20: call of many in f: joint"),
        "{text}"
    );
    // Times of the steps are told, by their names and in order, but in no file.
    let timed = text.lines().find(|l| l.starts_with("adjoint of f made in ")).unwrap_or_else(|| panic!("{text}"));
    let steps = timed.split_once(" ms: ").expect("steps").1.split(", ").map(|s| s.split(' ').next().unwrap_or_default());
    let first = ["code", "branches", "statements", "records", "sweeps", "zeros"];
    let passes: Vec<&str> = overbar::transform::passes::names().collect();
    assert_eq!(steps.collect::<Vec<_>>(), [&first[..], &passes, &["names"]].concat());
    overbar_ok(at, &["diff", "f.c", "-b", "--reversal", "auto", "--explain=told", "-o", "again.c"]);
    assert!(!std::fs::read_to_string(at.join("told")).unwrap().contains(" ms: "));
    let main = "#include <math.h>
#include <stdio.h>
#include <stdlib.h>
void f(int n, double x[n], double y[1]);
void f_b(int n, double x[n], double xb[n], double y[1], double yb[1]);
int main(void) {
  double x[3] = {0.5, 0.75, 1.25}, xb[3] = {0}, y[1], yb[1] = {1.0};
  f_b(3, x, xb, y, yb);
  for (int i = 0; i < 3; i++) {
    double h = 1e-6, v[2];
    for (int k = 0; k < 2; k++) {
      double z[3] = {x[0], x[1], x[2]};
      z[i] += k ? h : -h;
      f(3, z, y);
      v[k] = y[0];
    }
    double d = (v[1] - v[0]) / (2 * h);
    if (fabs(d - xb[i]) > 1e-7 * (1 + fabs(d))) {
      printf(\"%d: %g, not %g\\n\", i, xb[i], d);
      return EXIT_FAILURE;
    }
  }
  return EXIT_SUCCESS;
}
";
    std::fs::write(at.join("main.c"), main).unwrap();
    runtime(at);
    silently(at, "gcc", &[&STRICT_C[..], &["-Wno-unknown-pragmas", "-o", "check", "g.c", "main.c", "-lm"]].concat());
    silently(at, "./check", &[]);
    overbar_ok(at, &["diff", "f.c", "-d", "-b", "--reversal", "auto"]);
}
