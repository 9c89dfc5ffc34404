//! Functions of C that return a pointer, as heads and where they are called: memory that they give, memory that the caller has.

use crate::common;

use common::{STRICT_C, overbar, overbar_ok, runtime, silently};

const TEXT: &str = "#include <stdlib.h>\n#include <math.h>\n\
double *waves(int n, const double *x, double a) {\n  double *y = malloc(n * sizeof(double));\n  if (y == NULL)\n    return NULL;\n  double s = 0.0;\n\
\x20 for (int i = 0; i < n; i++) {\n    s += x[i] * a;\n    y[i] = sin(s) * x[i];\n    if (i > 0)\n      y[i] *= y[i - 1];\n  }\n  return y;\n}\n\
double *sums(int rows, int columns, double m[], int from) {\n  double *s, *t;\n  int k, j;\n  if (rows < 1)\n    return NULL;\n\
\x20 s = (double *) calloc(columns + 1, sizeof(double));\n  for (k = 0; k < rows; k++)\n    for (j = from; j < columns; j++)\n\
\x20     s[j] = s[j] * 0.5 + m[k * columns + j] * m[k * columns + j];\n  t = m;\n  t[0] = s[0] * t[0];\n  return s;\n}\n\
static double kept[8];\ndouble *lent(int k, double *x, double y) {\n  double *p = x + k;\n  kept[k % 8] = y * y;\n  *p = *p * y + kept[k % 8];\n  return p;\n}\n\
double *twice(int n, const double *x) {\n  double *a = waves(n, x, 2.0);\n  double *b = malloc(n * sizeof *b);\n  for (int i = 0; i < n; i++)\n\
\x20   b[i] = a[i] * a[i];\n  free(a);\n  return b;\n}\n\
double *handed_on(int n, const double *x) { return waves(n, x, x[0]); }\n";

fn folder() -> tempfile::TempDir {
    let at = tempfile::tempdir().unwrap();
    std::fs::write(at.path().join("f.c"), TEXT).unwrap();
    at
}

/// Both engines agree with the original, whose memory is the one that it gives.
#[test]
fn functions_that_return_pointers_are_heads() {
    let at = folder();
    for head in ["waves(waves)/(x,a)", "waves/(x)", "sums(sums,m)/(m)", "lent(x)/(x,y)", "twice/(x)", "handed_on/(x)"] {
        for more in [&[][..], &["--vector"], &["--reversal", "split"]] {
            // A shared variable has one derivative.
            if head.starts_with("lent") && more.contains(&"--vector") {
                continue;
            }
            let out = overbar_ok(at.path(), &[&["verify", "f.c", "--head", head], more].concat());
            assert!(out.starts_with("pass ") && out.contains("interpreter and compiled"), "{head} {more:?}: {out}");
        }
    }
}

/// The caller of derivative code has the memory; against the derivative as it is by hand.
#[test]
fn callers_pass_the_memory() {
    let at = tempfile::tempdir().unwrap();
    let text = "#include <stdlib.h>\ndouble *powers(int n, double x) {\n  double *p = malloc((n + 1) * sizeof(double));\n  p[0] = 1.0;\n\
        \x20 for (int i = 1; i <= n; i++)\n    p[i] = p[i - 1] * x;\n  return p;\n}\n";
    std::fs::write(at.path().join("p.c"), text).unwrap();
    overbar_ok(at.path(), &["diff", "p.c", "-d", "-b", "--head", "powers/(x)", "-o", "out.c"]);
    let out = std::fs::read_to_string(at.path().join("out.c")).unwrap();
    assert!(out.contains("void powers_d(int n, double x, double xd, double *restrict powers, double *restrict powersd) {"), "{out}");
    // Nothing is allocated for it twice.
    assert_eq!(out.matches("malloc").count(), 1, "{out}");
    runtime(at.path());
    silently(at.path(), "gcc", &[&STRICT_C[..], &["-c", "out.c"]].concat());
    let main = "#include \"out.c\"\n#include <math.h>\nint main(void) {\n  double p[5], d[5], b[5] = {5, 4, 3, 2, 1}, x = 1.25, xb = 0.5, sum = 0.5;\n\
        \x20 powers_d(4, x, 1.0, p, d);\n  for (int i = 0; i < 5; i++) {\n    double slope = i ? i * pow(x, i - 1) : 0.0;\n    sum += b[i] * slope;\n\
        \x20   if (fabs(d[i] - slope) > 1e-12 || fabs(p[i] - pow(x, i)) > 1e-12)\n      return 1;\n  }\n  powers_b(4, x, &xb, p, b);\n\
        \x20 return fabs(xb - sum) > 1e-12 ? 2 : 0;\n}\n";
    std::fs::write(at.path().join("main.c"), main).unwrap();
    silently(at.path(), "gcc", &["-std=c11", "-O2", "main.c", "-o", "main", "-lm"]);
    silently(at.path(), "./main", &[]);
}

/// What is given now and then only, or of an extent that the caller cannot know, is refused where it stands.
#[test]
fn other_pointers_are_refused() {
    let at = tempfile::tempdir().unwrap();
    let start = "#include <stdlib.h>\nstatic double work[9];\n";
    for (body, code, line) in [
        (
            "double *f(int n, double *x) {\n  double *y = malloc(n * sizeof(double));\n  y[0] = x[0];\n  return n > 2 ? y : x;\n}",
            "OB2052",
            3,
        ),
        (
            "double *f(int n, double *x) {\n  double *y = malloc(n * sizeof(double));\n  y[0] = x[0];\n  if (n > 2)\n    return x;\n  return y;\n}",
            "OB2052",
            3,
        ),
        (
            "double *f(int n, double *x) {\n  n = n + (int) work[0];\n  double *y = malloc(n * sizeof(double));\n  y[0] = x[0];\n  return y;\n}",
            "OB2014",
            5,
        ),
        (
            "double *f(int n, double *x) {\n  double *y = NULL;\n  if (n > 1)\n    y = malloc(n * sizeof(double));\n  y[0] = x[0];\n  return y;\n}",
            "OB2014",
            6,
        ),
        (
            "double *f(int n, double *x) {\n  double *y = malloc(n * sizeof(double));\n  y[0] = x[0];\n  if (n > 3)\n    free(y);\n  return y;\n}",
            "OB2014",
            7,
        ),
        ("double *f(int n, double *x) {\n  static double y[3];\n  y[n] = x[0];\n  return n > 1 ? y : NULL;\n}", "OB2052", 3),
    ] {
        std::fs::write(at.path().join("f.c"), format!("{start}{body}\n")).unwrap();
        let out = overbar(at.path(), &["diff", "f.c", "-d", "-b", "--head", "f/(x)", "-o", "out.c"]);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(!out.status.success() && said.contains(code) && said.contains(&format!("f.c:{line}:")), "{body}\n{said}");
        assert!(!at.path().join("out.c").exists(), "{body}");
    }
}
