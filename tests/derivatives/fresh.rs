//! Work arrays that keep nothing between calls, though they are declared to: accepted where all that is read has been set before, refused elsewhere.

use overbar::transform::Reversal;
use overbar::verify::{Request, Verdict, verify};
use overbar::{Options, heads};

fn program(body: &str) -> xaif::Program {
    let text = format!(
        "#include <math.h>\nstatic int few(int n) {{ return n / 2; }}\n\
         static void fill(int n, const double *x, double *y) {{\n  for (int i = 0; i < n; i++)\n    y[i] = sin(x[i]);\n}}\n\
         static void perhaps(int n, const double *x, double *y) {{\n  if (n > 5)\n    return;\n  for (int i = 0; i < n; i++)\n    y[i] = sin(x[i]);\n}}\n\
         static void count(int n, const double *x, double *y) {{\n  n--;\n  for (int i = 0; i < n; i++)\n    y[i] = sin(x[i]);\n}}\n\
         static void zero(double *y) {{\n  y[0] = 0.0;\n  y[1] = 0.0;\n}}\n\
         static double part(int n, const double *x) {{\n  static double w[40];\n  static double a[8][8];\n  static int m;\n  double s = 0.0;\n  m = n;\n  a[0][0] = 1.0;\n  w[39] = 2.0;\n{body}\n  \
         return s + a[0][0] + w[39] * x[0];\n}}\n\
         double f(int n, const double *x) {{\n  return part(n, x) * x[0] + (n > 0 ? few(n) : 0);\n}}\n"
    );
    parsed(&text)
}

fn parsed(text: &str) -> xaif::Program {
    let source = overbar_c::parse::SourceText { file: "f.c", text };
    overbar_c::parse(&[source], &overbar_c::ParseOptions { preprocess: true, ..Default::default() }).unwrap_or_else(|e| panic!("{e:?}")).0
}

const SET_FIRST: [(&str, &str); 26] = [
    (
        "in place",
        "for (int i = 0; i < n; i++)\n for (int j = 0; j < n; j++) a[i][j] = x[i] + (i == j) * 3.0 + j;\nfor (int k = 0; k < n - 1; k++)\n for (int i = k + 1; i < n; i++) {\n  double q = a[i][k] / a[k][k];\n  for (int j = k + 1; j < n; j++) a[i][j] -= q * a[k][j];\n  s += q;\n }",
    ),
    (
        "a length by another name",
        "int k = n - 1;\nw[k] = x[0];\nfor (int i = 0; i < k; i++) w[i] = x[i];\nfor (int i = 0; i < n; i++) s += w[i] * w[i];",
    ),
    (
        "a jump down behind it",
        "for (int i = 0; i < n; i++) w[i] = x[i];\nif (x[0] > 0.5) goto end;\nfor (int i = 0; i < n; i++) s += w[i] * w[i];\nend:\nfor (int i = 0; i < n; i++) s += w[i];",
    ),
    (
        "a jump out of a loop",
        "for (int i = 0; i < n; i++) w[i] = x[i];\nfor (int i = 0; i < n; i++) {\n if (w[i] > 0.7) goto end;\n s += w[i] * w[i];\n}\nend:\nfor (int i = 0; i < n; i++) s += w[i];",
    ),
    (
        "a length of its own",
        "int k = n - 1;\nfor (int i = 0; i < k; i++) w[i] = x[i];\nfor (int i = 0; i < k; i++) s += w[i] * w[i];\nk = 2;\ns += k;",
    ),
    (
        "a length in each iteration",
        "for (int j = 0; j < n; j++) {\n int k = j;\n if (j > 2) k = 2;\n for (int i = 0; i < k; i++) w[i] = x[i];\n for (int i = 0; i < k; i++) s += w[i] * w[i];\n}",
    ),
    ("by a callee, a length of its own", "int k = n - 1;\nfill(k, x, w);\nfor (int i = 0; i < k; i++) s += w[i] * w[i];"),
    ("all in one loop, all in another", "for (int i = 0; i < n; i++) w[i] = x[i] * x[i];\nfor (int i = 0; i < n; i++) s += w[i] * x[i];"),
    (
        "sums",
        "for (int i = 0; i < n; i++) {\n w[i] = 0.0;\n for (int j = 0; j < i; j++) w[i] += x[i] * x[j];\n}\nfor (int i = 0; i < n; i++) s += w[i];",
    ),
    (
        "in each iteration",
        "for (int i = 0; i < n; i++) {\n for (int j = 0; j < n; j++) w[j] = x[j] * x[i];\n for (int j = 0; j < n; j++) s += w[j] * w[j];\n}",
    ),
    (
        "on both ways",
        "if (n > 2) {\n for (int i = 0; i < n; i++) w[i] = x[i];\n} else {\n for (int i = 0; i < n; i++) w[i] = 2.0 * x[i];\n}\nfor (int i = 0; i < n; i++) s += w[i] * w[i];",
    ),
    ("from the one before", "w[0] = x[0];\nfor (int i = 1; i < n; i++) w[i] = w[i - 1] * x[i];\ns = w[0];"),
    (
        "from two before",
        "w[0] = 1.0;\nw[1] = x[0];\nfor (int i = 2; i < n; i++) w[i] = x[0] * w[i - 1] - w[i - 2];\nfor (int i = 2; i < n; i++) s += w[i];",
    ),
    (
        "from behind",
        "w[n - 1] = x[n - 1];\nfor (int i = n - 2; i >= 0; i--) {\n double t = x[i];\n for (int j = i + 1; j < n; j++) t -= 0.1 * w[j];\n w[i] = t * t;\n}\ns = w[n - 1];",
    ),
    (
        "from the front",
        "for (int i = 0; i < n; i++) {\n double t = x[i];\n for (int j = 0; j < i; j++) t -= 0.1 * w[j] * x[j];\n w[i] = t * t;\n}\nfor (int i = 0; i < n; i++) s += w[i];",
    ),
    ("by a callee", "fill(n, x, w);\nfor (int i = 0; i < n; i++) s += w[i] * w[i];"),
    (
        "by a callee in each iteration",
        "for (int k = 0; k < 3; k++) {\n fill(n, x, w);\n for (int i = 0; i < n; i++) s += w[i] * w[i] * x[k];\n}",
    ),
    ("elements by a callee", "zero(w);\nfor (int i = 0; i < n; i++) {\n w[0] += x[i];\n w[1] += x[i] * x[i];\n}\ns = w[0] / w[1];"),
    (
        "a matrix",
        "for (int i = 0; i < n; i++)\n for (int j = 0; j < n; j++) a[i][j] = x[i] * x[j];\nfor (int i = 0; i < n; i++)\n for (int j = 0; j < n; j++) s += a[i][j] * a[j][i];",
    ),
    ("by name", "int k = few(n);\nw[k] = x[0];\ns = w[k] * x[1];"),
    ("by a table", "static const int p[4] = {3, 1, 0, 2};\nfor (int i = 0; i < n; i++) {\n w[p[i]] = x[i];\n s += w[p[i]] * x[0];\n}"),
    ("returns first", "if (n < 1) return 0.0;\nfor (int i = 0; i < n; i++) w[i] = x[i];\nfor (int i = 0; i < n; i++) s += w[i] * w[i];"),
    (
        "one way leaves",
        "if (n > 1) {\n for (int i = 0; i < n; i++) w[i] = x[i];\n} else {\n return x[0];\n}\nfor (int i = 0; i < n; i++) s += w[i] * w[i];",
    ),
    ("a kept length", "for (int i = 0; i < m; i++) w[i] = x[i];\nm = n;\nfor (int i = 0; i < n; i++) s += x[i];"),
    (
        "read under a condition",
        "for (int i = 0; i < n; i++) w[i] = x[i];\nfor (int i = 0; i < n; i++) {\n if (x[i] > 0.5) continue;\n s += w[i] * w[i];\n}",
    ),
    ("in a while loop", "fill(n, x, w);\nint k = 0;\nwhile (k < 3) {\n for (int i = 0; i < n; i++) s += w[i] * w[i];\n k++;\n}"),
];

const OLDER: [(&str, &str); 32] = [
    (
        "the index of a loop in steps that are no number",
        "int i = 1, st = n > 4 ? 2 : 1;\nw[i] = x[0];\nfor (i = 0; i < n; i += st) s += w[i];",
    ),
    (
        "an equality that ends in one arm",
        "int k = n & 1;\nint j = k + 1;\nif (x[0] > 0.95) {\n w[j - 1] = x[0];\n} else {\n k = 3;\n w[k] = x[1];\n}\ns = w[j - 1];",
    ),
    (
        "an equality of one way to a label",
        "int k = n & 1, j = 5;\nif (x[0] > 0.85) {\n w[k + 1] = x[0];\n goto end;\n}\nj = k + 1;\nw[j] = x[1];\nend:\ns = w[j];",
    ),
    ("an index that wraps around", "int k = n + 256;\nunsigned char j = k;\nw[k - 256] = 0.0;\nw[k] = x[0];\ns = w[j + 1] + w[j];"),
    (
        "a jump over it",
        "if (x[0] > 0.5) goto end;\nfor (int i = 0; i < n; i++) w[i] = x[i];\nend:\nfor (int i = 0; i < n; i++) s += w[i] * w[i];",
    ),
    (
        "a jump out of the loop",
        "for (int i = 0; i < n; i++) {\n if (x[i] > 0.7) goto end;\n w[i] = x[i];\n}\nend:\nfor (int i = 0; i < n; i++) s += w[i];",
    ),
    ("a jump back", "int k = 0;\nagain:\nif (k > 0) s += w[0];\nw[0] = x[k];\nk++;\nif (k < n) goto again;"),
    ("a name of an iteration that need not be", "int k = 2;\nfor (int i = 0; i < few(n); i++) k = n - 1;\nw[k] = x[0];\ns = w[n - 1];"),
    ("a callee that counts down", "count(n, x, w);\nfor (int i = 0; i < n; i++) s += w[i] * w[i];"),
    (
        "a length of its own that changes",
        "int k = n - 1;\nfor (int i = 0; i < k; i++) w[i] = x[i];\nk++;\nfor (int i = 0; i < k; i++) s += w[i] * w[i];",
    ),
    (
        "a length that changes in iterations",
        "int k = 1;\nfor (int j = 0; j < n; j++) {\n for (int i = 0; i < k; i++) s += w[i] * w[i];\n for (int i = 0; i < k; i++) w[i] = x[i];\n k++;\n}",
    ),
    (
        "a length that an arm changes",
        "int k = 1;\nfor (int i = 0; i < k; i++) w[i] = x[i];\nif (x[0] > 0.5) k = n;\nfor (int i = 0; i < k; i++) s += w[i] * w[i];",
    ),
    (
        "elements that an earlier iteration has set elsewhere",
        "int k = 0;\nfor (int i = 0; i < n; i++) {\n if (i > 0) s += w[k];\n k = few(i);\n w[k] = x[i];\n k = i;\n}",
    ),
    ("sums without a start", "for (int i = 0; i < n; i++) w[i] += x[i];\nfor (int i = 0; i < n; i++) s += w[i];"),
    ("on one way", "if (n > 2) {\n for (int i = 0; i < n; i++) w[i] = x[i];\n}\nfor (int i = 0; i < n; i++) s += w[i] * w[i];"),
    (
        "left early",
        "for (int i = 0; i < n; i++) {\n if (x[i] > 0.5) break;\n w[i] = x[i];\n}\nfor (int i = 0; i < n; i++) s += w[i] * w[i];",
    ),
    (
        "left out",
        "for (int i = 0; i < n; i++) {\n if (x[i] > 0.5) continue;\n w[i] = x[i];\n}\nfor (int i = 0; i < n; i++) s += w[i] * w[i];",
    ),
    ("too few", "for (int i = 0; i < n - 1; i++) w[i] = x[i];\nfor (int i = 0; i < n; i++) s += w[i] * w[i];"),
    ("every other one", "for (int i = 0; i < n; i += 2) w[i] = x[i];\nfor (int i = 0; i < n; i++) s += w[i] * w[i];"),
    ("an index that jumps", "for (int i = 0; i < n; i++) {\n w[i] = x[i];\n i++;\n}\nfor (int i = 0; i < n; i++) s += w[i] * w[i];"),
    ("a length that changes", "for (int i = 0; i < m; i++) w[i] = x[i];\nm = n + 1;\nfor (int i = 0; i < m; i++) s += w[i] * w[i];"),
    ("a callee that returns", "perhaps(n, x, w);\nfor (int i = 0; i < n; i++) s += w[i] * w[i];"),
    ("a callee that sets less", "fill(n - 1, x, w);\nfor (int i = 0; i < n; i++) s += w[i] * w[i];"),
    ("a callee behind it", "for (int i = 0; i < n; i++) s += w[i] * w[i];\nfill(n, x, w);"),
    ("a callee that reads it", "double y[40];\nfill(n, w, y);\nfill(n, x, w);\nfor (int i = 0; i < n; i++) s += y[i];"),
    ("while", "int k = 0;\nwhile (k < n) {\n w[k] = x[k];\n k++;\n}\nfor (int i = 0; i < n; i++) s += w[i] * w[i];"),
    (
        "in iterations that need not be",
        "for (int k = 0; k < few(n); k++)\n for (int i = 0; i < n; i++) w[i] = x[i];\nfor (int i = 0; i < n; i++) s += w[i] * w[i];",
    ),
    (
        "the diagonal",
        "for (int i = 0; i < n; i++) a[i][i] = x[i];\nfor (int i = 0; i < n; i++)\n for (int j = 0; j < n; j++) s += a[i][j];",
    ),
    ("from the one behind", "w[0] = x[0];\nfor (int i = 1; i < n - 1; i++) w[i] = w[i + 1] * x[i];\ns = w[0];"),
    ("from one before the first", "for (int i = 1; i < n; i++) w[i] = w[i - 1] * x[i];\ns = w[0];"),
    (
        "iterations left out and carried",
        "w[0] = x[0];\nfor (int i = 1; i < n; i++) {\n if (x[i] > 0.5) continue;\n w[i] = w[i - 1] * x[i];\n}\ns = w[0];",
    ),
    (
        "an arm that falls",
        "switch (n) {\ncase 1:\n w[0] = x[0];\n w[1] = x[0];\n break;\ncase 2:\n if (x[0] > 0.3) break;\n /* fall through */\ndefault:\n w[0] = 1.0;\n w[1] = x[1];\n}\ns = w[0] * w[1];",
    ),
];

#[test]
fn work_arrays_that_keep_nothing_are_local() {
    for (name, body) in SET_FIRST {
        let p = program(body);
        for reversal in [Reversal::Joint, Reversal::Split] {
            let request = Request {
                head: heads::parse_head("f(f)/(x)").expect("a head"),
                values: None,
                seed: 1,
                options: Options { reversal, ..Options::default() },
                limits: overbar::evaluate::Limits::default(),
                interpret: true,
                workshop: None,
            };
            let r = verify(&p, &request).unwrap_or_else(|e| panic!("{name}: {e:?}"));
            assert_eq!(r.verdict, Verdict::Pass, "{name}: {r:?}");
        }
    }
}

/// All calls of a function share its static variables: of those that are under way, each reads what the last one has set.
#[test]
fn calls_under_way_share_what_is_static() {
    let text = |declared: &str| {
        format!(
            "static double part(int n, double x) {{\n  {declared};\n  double r = 0.0;\n  w[0] = x * (n + 1);\n  m = n % 2;\n  if (n > 0)\n    r = part(n - 1, x * x);\n  \
             return r + w[0] * x + m;\n}}\ndouble f(double x) {{\n  return part(3, x) * x;\n}}\n"
        )
    };
    let head = || vec![heads::parse_head("f(f)/(x)").expect("a head")];
    let active = parsed(&text("static double w[2];\n  int m"));
    let found = overbar::boost(active, &Options { adjoint: true, heads: head(), ..Options::default() }).expect_err("refused");
    assert!(found.iter().any(|d| d.code == "OB4010"), "{found:?}");
    let passive = parsed(&text("double w[2];\n  static int m"));
    let derivative = overbar::boost(passive, &Options { tangent: true, heads: head(), ..Options::default() }).expect("accepted").program;
    let kept = derivative.symbols.iter().filter(|s| s.name == "m" && *s.storage() == xaif::model::Storage::Static).count();
    assert_eq!(kept, 2);
}

#[test]
fn arrays_that_keep_something_are_refused() {
    for (name, body) in OLDER {
        let options =
            Options { tangent: true, adjoint: true, heads: vec![heads::parse_head("f(f)/(x)").expect("a head")], ..Options::default() };
        let found = overbar::boost(program(body), &options).err().unwrap_or_else(|| panic!("{name}: accepted"));
        assert!(found.iter().any(|d| d.code == "OB4010"), "{name}: {found:?}");
    }
}

/// Callees read no more of an array than they declare.
#[test]
fn callees_keep_within_what_they_declare() {
    let boosted = |last: &str, declared: &str| {
        let text = format!(
            "subroutine slope(n, y, dy)\n  integer, intent(in) :: n\n  real(8), intent(in) :: y({declared})\n  real(8), intent(out) :: dy(n)\n  integer :: i\n  \
             do i = 1, n\n    dy(i) = y(i)*y(n)\n  end do\nend subroutine\nsubroutine f(n, x, r)\n  integer, intent(in) :: n\n  real(8), intent(in) :: x(n)\n  \
             real(8), intent(out) :: r\n  real(8), save :: u(9), v(9)\n  u(1:{last}) = x(1:{last})**2\n  call slope(n, u, v)\n  r = sum(v(1:n))\nend subroutine\n"
        );
        let source = overbar_fortran::parse::SourceText { file: "f.f90", text: &text };
        let program = overbar_fortran::parse(&[source], &overbar_fortran::ParseOptions::default()).unwrap_or_else(|e| panic!("{e:?}")).0;
        let head = vec![heads::parse_head("f(r)/(x)").expect("a head")];
        overbar::boost(program, &Options { adjoint: true, heads: head, ..Options::default() })
    };
    boosted("n", "n").unwrap_or_else(|e| panic!("{e:?}"));
    for (last, declared) in [("n - 1", "n"), ("n", "*"), ("n", "1"), ("n", "n + 1")] {
        let found = boosted(last, declared).err().unwrap_or_else(|| panic!("{last}, {declared}: accepted"));
        assert!(found.iter().any(|d| d.code == "OB4010"), "{last}, {declared}: {found:?}");
    }
}

/// What a callee sets of all that it knows, and sections in triangles, are parts.
#[test]
fn parts_are_not_all() {
    let boosted = |body: &str| {
        let text = format!(
            "subroutine fill(m, v, s)\n  integer, intent(in) :: m\n  real(8), intent(inout) :: v(m)\n  real(8), intent(in) :: s\n  v = s\nend subroutine\n\
             subroutine f(n, x, y)\n  integer, intent(in) :: n\n  real(8), intent(in) :: x(n)\n  real(8), intent(inout) :: y\n  integer :: i, j\n  \
             real(8), save :: w(20), a(2, 8, 8)\n{body}\n  w = 0.5d0*x(1)\n  a = 0.125d0\nend subroutine\n"
        );
        let source = overbar_fortran::parse::SourceText { file: "f.f90", text: &text };
        let program = overbar_fortran::parse(&[source], &overbar_fortran::ParseOptions::default()).unwrap_or_else(|e| panic!("{e:?}")).0;
        let head = vec![heads::parse_head("f(y)/(x)").expect("a head")];
        overbar::boost(program, &Options { adjoint: true, heads: head, ..Options::default() })
    };
    let call = |last: &str| format!("call fill(n, w, x(1))\ndo i = 1, {last}\n  y = y + w(i)**2\nend do");
    let nest = |last: &str| {
        format!(
            "do i = 1, n\n  do j = 1, {last}\n    a(1:2, i, j) = x(i)*x(j)\n  end do\nend do\ndo i = 1, n\n  do j = 1, n\n    y = y + a(2, i, j)\n  end do\nend do"
        )
    };
    for body in [call("n"), nest("n")] {
        boosted(&body).unwrap_or_else(|e| panic!("{body}: {e:?}"));
    }
    for body in [call("n + 1"), nest("i")] {
        let found = boosted(&body).err().unwrap_or_else(|| panic!("{body}: accepted"));
        assert!(found.iter().any(|d| d.code == "OB4010"), "{body}: {found:?}");
    }
}
