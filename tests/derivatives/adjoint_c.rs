//! Adjoints of C programs, run by the interpreter.

use crate::adjoints;

use adjoints::{boosted, check, check_boosted};
use overbar::evaluate::Data;
use overbar::transform::Reversal;
use overbar_c::parse::{ParseOptions, SourceText, parse};
use xaif::Program;

fn program(text: &str) -> Program {
    match parse(&[SourceText { file: "f.c", text }], &ParseOptions { preprocess: true, ..ParseOptions::default() }) {
        Ok((p, _)) => p,
        Err(d) => panic!("{}", d.iter().map(|d| format!("{d}\n")).collect::<String>()),
    }
}

fn x(list: &[f64]) -> Data<f64> {
    Data::reals(list)
}

fn r(v: f64) -> Data<f64> {
    Data::real(v)
}

fn n(v: i64) -> Data<f64> {
    Data::int(v)
}

fn wave(count: usize, phase: f64) -> Data<f64> {
    x(&(0..count).map(|i| 0.6 + 0.4 * ((i as f64) * 1.7 + phase).sin()).collect::<Vec<_>>())
}

#[test]
fn kernels_of_the_benchmark() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/bench/kernels.c");
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("skipped: {} is not there", path.display());
        return;
    };
    let p = program(&text);
    let size = ("n", n(6));
    check(&p, "k_griewank(k_griewank)/(x)", &[size.clone(), ("x", wave(6, 0.0))]);
    check(&p, "k_speel(k_speel)/(x)", &[size.clone(), ("x", wave(6, 0.1))]);
    check(&p, "k_rosen(k_rosen)/(x)", &[size.clone(), ("x", wave(6, 0.2))]);
    check(&p, "k_bratu(k_bratu)/(u,w)", &[size.clone(), ("u", wave(6, 0.3)), ("w", wave(6, 0.9))]);
    check(&p, "k_light(k_light)/(x)", &[size, ("x", wave(24, 0.4))]);
    let grid = [("nx", n(7)), ("nt", n(3)), ("u0", wave(7, 0.5))];
    check(&p, "k_burgers(k_burgers)/(u0)", &grid);
    check(&p, "k_heat(k_heat)/(u0)", &grid);
}

#[test]
fn pointers_values_and_results() {
    let p = program(
        "#include <math.h>
static double sq(double a) { return a * a; }
static double mix(double a, const double *b, float c) {
  if (a < *b) return a * *b + c;
  return sq(a) - sq(*b) * c;
}
void f(double x, double *y, float z) {
  double t = mix(x * *y, y, z);
  *y = mix(sq(t), &t, 2) + t;
  for (int i = 0; i < 3; i++)
    *y += mix(*y, &x, z) * i;
  x = sin(x) * *y;
  *y -= x;
}
",
    );
    for (a, b) in [(0.4, 1.2), (1.9, 0.7), (-0.3, 0.2)] {
        check(&p, "f(y)/(x,y,z)", &[("x", r(a)), ("y", r(b)), ("z", r(0.5))]);
    }
}

#[test]
fn control_of_every_kind() {
    let p = program(
        "#include <math.h>
double f(int n, const double x[n], double *restrict w) {
  double s = 0;
  unsigned k;
  int j = n;
  for (k = 0; k < (unsigned)n; k++) {
    double t = x[k];
    switch (k % 4) {
    case 0:
      t = t * s;
    case 1:
      t += sin(t);
      break;
    case 2:
      if (t < 0.5)
        break;
      t = t * t;
      break;
    default:
      continue;
    }
    s += t > 1 ? sqrt(t) : t * t;
    w[k] = s;
  }
  do {
    j--;
    if (j == 2)
      continue;
    s = s * x[j] + w[0];
    if (s > 100)
      goto out;
  } while (j > 0 && s < 50);
  while (1) {
    s = s * 0.5 + w[1];
    if (s < 2)
      return s * x[0];
    j++;
    if (j > 5)
      break;
  }
out:
  w[j] *= s;
  return s + fmax(w[j], x[0]);
}
",
    );
    for phase in [0.0, 1.0, 2.5] {
        for count in [3, 5, 7] {
            check(&p, "f(f,w)/(x,w)", &[("n", n(count as i64)), ("x", wave(count, phase)), ("w", wave(count, 1.0))]);
        }
    }
}

#[test]
fn globals_and_statics() {
    let p = program(
        "double g = 1;
static double h[3];
static void step(double a) {
  for (int i = 0; i < 3; i++)
    h[i] = h[i] * a + g;
  g *= a;
}
double f(double x) {
  h[0] = x; h[1] = 2; h[2] = x * x;
  g = x;
  step(x);
  step(h[1]);
  return h[0] * h[1] + h[2] * g;
}
",
    );
    check(&p, "f(f)/(x)", &[("x", r(0.7))]);
}

#[test]
fn work_arrays_in_loops() {
    let p = program(
        "#include <stdlib.h>
#include <math.h>
double f(int n, const double *x) {
  double s = 0;
  double *a = malloc(n * sizeof *a);
  if (!a) abort();
  for (int i = 0; i < n; i++) a[i] = x[i] * x[i];
  for (int k = 1; k <= n; k++) {
    double *w = calloc(k, sizeof *w);
    for (int i = 0; i < k; i++) {
      w[i] += sin(a[i]);
      a[i] = w[i] * a[0];
    }
    s += w[k - 1] * w[0];
    free(w);
  }
  free(a);
  return s;
}
",
    );
    check(&p, "f(f)/(x)", &[("n", n(4)), ("x", wave(4, 0.3))]);
}

#[test]
fn recursion_with_arrays() {
    let p = program(
        "double walk(int n, double *x) {
  if (n == 0) return 1;
  x[n - 1] = x[n - 1] * x[0];
  double r = walk(n - 1, x);
  r *= x[n - 1];
  x[0] += r;
  return r + x[0];
}
double f(int n, double x[n]) {
  double r = walk(n, x);
  return r + x[n - 1];
}
",
    );
    let head = "f(f,x)/(x)";
    let at = [("n", n(4)), ("x", wave(4, 0.3))];
    let with = boosted(&p, head, overbar::Options { reversal: Reversal::Auto, ..Default::default() });
    check_boosted(&p, &with, head, &at);
}

/// The primal reads x under two names, which `restrict` allows; the adjoint increments xb under both.
#[test]
fn adjoints_of_what_is_passed_twice_may_overlap() {
    let p = program(
        "void f(int n, const double *restrict a, const double *restrict b, double *restrict y) {
  for (int i = 0; i < n; i++)
    y[0] += a[i] * b[n - 1 - i];
}
void head(int n, const double *restrict x, double *restrict y) {
  f(n, x, x, y);
}
",
    );
    let heads = vec![xaif::model::Head { unit: "head".into(), dependents: Some(vec!["y".into()]), independents: Some(vec!["x".into()]) }];
    let boosted = overbar::boost(p, &overbar::Options { adjoint: true, heads, ..Default::default() }).unwrap().program;
    let promises = |name: &str| boosted.symbols.iter().any(|s| s.name == name && s.has_attribute("restrict"));
    assert!(promises("a") && promises("b") && promises("yb"));
    assert!(!promises("ab") && !promises("bb"));
}
