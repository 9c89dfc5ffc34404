//! Calls of procedures whose text is not there: rules name their derivatives, written by hand here; generated code is compiled with them and compared.

use crate::common;

use common::{STRICT_C, STRICT_FORTRAN, overbar, overbar_ok, overbar_with_input, root, runtime, silently};
use std::path::Path;

/// A solver and a product in Fortran, with derivatives.
const LIBRARY: &str = "! y = sum x(i)*z(i)
double precision function inner(n, x, z)
  implicit none
  integer :: n
  double precision :: x(n), z(n)
  inner = sum(x*z)
end function
subroutine inner_d(n, x, xd, z, zd, v, vd)
  implicit none
  integer :: n
  double precision :: x(n), xd(n), z(n), zd(n), v, vd
  v = sum(x*z)
  vd = sum(xd*z) + sum(x*zd)
end subroutine
subroutine inner_b(n, x, xb, z, zb, vb)
  implicit none
  integer :: n
  double precision :: x(n), xb(n), z(n), zb(n), vb
  xb = xb + z*vb
  zb = zb + x*vb
end subroutine
! b = b / d elementwise, and status = 0
subroutine divide(n, d, b, status)
  implicit none
  integer :: n, status
  double precision :: d(n), b(n)
  b = b/d
  status = 0
end subroutine
subroutine divide_d(n, d, dd, b, bd, status)
  implicit none
  integer :: n, status
  double precision :: d(n), dd(n), b(n), bd(n)
  b = b/d
  bd = (bd - b*dd)/d
  status = 0
end subroutine
! takes the right-hand side, computes the solution again and leaves it there
subroutine divide_b(b, bb, d, db, n)
  implicit none
  integer :: n
  double precision :: d(n), db(n), b(n), bb(n)
  b = b/d
  bb = bb/d
  db = db - b*bb
end subroutine
";

const RULES: &str = r#"[[unit]]
name = "inner"
arguments = [
  { name = "n", access = "read" },
  { name = "x", access = "read", array = true, derivative = true },
  { name = "z", access = "read", array = true, derivative = true },
]
result = { name = "v", derivative = true }
tangent = { unit = "inner_d", arguments = ["n", "x", "dot(x)", "z", "dot(z)", "v", "dot(v)"] }
adjoint = { unit = "inner_b", arguments = ["n", "x", "bar(x)", "z", "bar(z)", "bar(v)"] }

[[unit]]
name = "divide"
arguments = [
  { name = "n", access = "read" },
  { name = "d", access = "read", array = true, derivative = true },
  { name = "b", access = "readwrite", array = true, derivative = true },
  { name = "status", access = "write" },
]
tangent = { unit = "divide_d", arguments = ["n", "d", "dot(d)", "b", "dot(b)", "status"] }
adjoint = { unit = "divide_b", arguments = ["b", "bar(b)", "d", "bar(d)", "n"] }
"#;

/// Both calls in a loop: what `b` was before each call is needed, and `inner` gets one array twice.
const SOURCE: &str = "subroutine f(n, d, b, y)
  implicit none
  integer, intent(in) :: n
  double precision, intent(in) :: d(n)
  double precision, intent(inout) :: b(n)
  double precision, intent(out) :: y
  double precision, external :: inner
  integer :: k, status
  y = 1
  do k = 1, 3
    call divide(n, d, b, status)
    y = y*inner(n, b, d) + inner(n, b, b)
    b = b*sin(b)
    if (status /= 0) y = 0
  end do
end subroutine
";

const DRIVER: &str = "program driver
  implicit none
  integer, parameter :: n = 4
  double precision :: d(n), b(n), y, dd(n), bd(n), yd, db(n), bb(n), yb, d0(n), b0(n), bd0(n), bb0(n), h, y1, y2
  integer :: i
  d0 = [(1.5d0 + 0.3d0*i, i=1, n)]
  b0 = [(0.7d0*i, i=1, n)]
  dd = [(sin(1.3d0*i), i=1, n)]
  bd0 = [(cos(2.1d0*i), i=1, n)]
  bb0 = [(0.4d0 - 0.1d0*i, i=1, n)]
  d = d0
  b = b0
  bd = bd0
  call f_d(n, d, dd, b, bd, y, yd)
  h = 1d-6
  b = b0 + h*bd0
  call f(n, d0 + h*dd, b, y1)
  b = b0 - h*bd0
  call f(n, d0 - h*dd, b, y2)
  if (abs((y1 - y2)/(2*h) - yd) > 1d-7*(1 + abs(yd))) stop 1
  db = 0
  bb = bb0
  yb = 1.7d0
  b = b0
  call f_b(n, d, db, b, bb, y, yb)
  h = dot_product(db, dd) + dot_product(bb, bd0) - (1.7d0*yd + dot_product(bb0, bd))
  if (abs(h) > 1d-12*(1 + abs(yd))) stop 2
  if (any(d /= d0)) stop 3
end program
";

fn write(folder: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        std::fs::write(folder.join(name), text).unwrap();
    }
}

#[test]
fn a_function_and_a_solver_in_fortran() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at, &[("f.f90", SOURCE), ("r.toml", RULES), ("library.f90", LIBRARY), ("driver.f90", DRIVER)]);
    for reversal in ["joint", "split", "auto"] {
        overbar_ok(
            at,
            &["diff", "f.f90", "-d", "-b", "--rules", "r.toml", "--head", "f(b,y)/(d,b)", "--reversal", reversal, "-o", "g.f90"],
        );
        runtime(at);
        silently(at, "gfortran", &[&STRICT_FORTRAN[..], &["-c", "overbar_runtime.f90", "g.f90"]].concat());
        silently(at, "gfortran", &["-O2", "-o", "check", "driver.f90", "g.o", "library.f90", "overbar_runtime.o"]);
        silently(at, "./check", &[]);
    }
    // The pipe gives the same.
    let whole = overbar_ok(at, &["diff", "f.f90", "-b", "--rules", "r.toml", "--head", "f(b,y)/(d,b)"]);
    let parsed = overbar_ok(at, &["frontend", "fortran", "f.f90"]);
    let boosted = overbar_with_input(at, &["boost", "-b", "--rules", "r.toml", "--head", "f(b,y)/(d,b)"], parsed.as_bytes());
    assert!(boosted.status.success(), "{}", String::from_utf8_lossy(&boosted.stderr));
    std::fs::write(at.join("b.xaif"), &boosted.stdout).unwrap();
    overbar_ok(at, &["validate", "b.xaif"]);
    assert_eq!(overbar_ok(at, &["backend", "fortran", "b.xaif"]), whole);
}

#[test]
fn a_library_in_c() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let sample = root().join("samples/library");
    let s = |name: &str| sample.join(name).to_str().unwrap().to_owned();
    overbar_ok(at, &["diff", &s("fit.c"), "-d", "-b", "--rules", &s("rules.toml"), "--head", "misfit(misfit)/(a,p,d,w)", "-o", "fit.c"]);
    runtime(at);
    let include = format!("-I{}", sample.display());
    silently(at, "gcc", &[&STRICT_C[..], &[&include, "-c", "fit.c"]].concat());
    silently(at, "gcc", &[&STRICT_C[..], &[&include, "-o", "check", "fit.o", &s("linalg.c"), &s("driver.c"), "-lm"]].concat());
    print!("{}", silently(at, "./check", &[]));
    // What records and what needs nothing: gemv's adjoint does not look at y.
    let code = std::fs::read_to_string(at.join("fit.c")).unwrap();
    assert!(code.contains("gemv_b(m, n, a, ab, p, pb, rb);") && code.contains("dot_b(n, p, pb, p, pb, "), "{code}");
}

/// Rules of a product of two arrays.
fn dot_rules(more: &str) -> String {
    format!(
        r#"[[unit]]
name = "dot"
arguments = [
  {{ name = "n", access = "read" }},
  {{ name = "x", access = "read", array = true, derivative = true }},
  {{ name = "y", access = "read", array = true, derivative = true }},
]
{more}
result = {{ name = "v", derivative = true }}
adjoint = {{ unit = "dot_b", arguments = ["n", "x", "bar(x)", "y", "bar(y)", "bar(v)"] }}
"#
    )
}

#[test]
fn one_array_twice_has_two_adjoints_unless_the_rule_allows_it() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let fortran = |second: &str| {
        format!(
            "subroutine f(n, x, y)\n  integer, intent(in) :: n\n  double precision, intent(in) :: x(n)\n  double precision, intent(out) :: y\n  double precision, external :: dot\n  y = dot(n, x, {second})\nend subroutine\n"
        )
    };
    let c = |word: &str| {
        format!(
            "double dot(int n, const double *{word}x, const double *{word}y);\ndouble f(int n, const double x[n])\n{{\n  return dot(n, x, x);\n}}\n"
        )
    };
    let (same, turned) = (fortran("x"), fortran("x(n:1:-1)"));
    let (promised, open) = (c("restrict "), c(""));
    for (file, text, more, expected) in [
        ("f.f90", &same, "", "x, xb, x, xb1,"),
        ("f.f90", &same, "may_overlap = false", "x, xb, x, xb1,"),
        ("f.f90", &same, "may_overlap = true", "x, xb, x, xb,"),
        ("f.f90", &turned, "", "x, xb, x(n:1:-1), xb1(n:1:-1),"),
        // The compiler copies that section, whatever the procedure copes with.
        ("f.f90", &turned, "may_overlap = true", "x, xb, x(n:1:-1), xb1(n:1:-1),"),
        ("f.c", &promised, "", "x, xb, x, xb1,"),
        ("f.c", &promised, "may_overlap = true", "x, xb, x, xb,"),
        ("f.c", &open, "", "x, xb, x, xb,"),
    ] {
        write(at, &[(file, text.as_str()), ("r.toml", &dot_rules(more))]);
        let head = if file == "f.c" { "f(f)/(x)" } else { "f(y)/(x)" };
        let code = overbar_ok(at, &["diff", file, "-b", "--rules", "r.toml", "--head", head]);
        assert!(code.contains(&format!("dot_b(n, {expected}")), "{more} {expected}: {code}");
    }
}

#[test]
fn a_declaration_of_the_derivative_can_come_from_the_rules() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let source = "double g(double x);
double f(double x) {
  return x * g(x * x);
}
";
    let rules = r#"[[unit]]
name = "g"
arguments = [{ name = "x", access = "read", derivative = true }]
result = { name = "y", derivative = true }
tangent = { unit = "g_tan", arguments = ["x", "dot(x)", "y"], result = "dot(y)", declaration = "double g_tan(double x, double xd, double *y);" }
adjoint = { unit = "g_adj", arguments = ["x", "bar(x)", "bar(y)"], declaration = "void g_adj(double x, double *xb, double yb);" }
"#;
    let main = "#include <math.h>
#include <stdlib.h>
double f_d(double x, double xd, double *y);
void f_b(double x, double *xb, double yb);
double g(double x) { return sin(x); }
double g_tan(double x, double xd, double *y) { *y = sin(x); return cos(x) * xd; }
void g_adj(double x, double *xb, double yb) { *xb += cos(x) * yb; }
int main(void) {
  double y, x = 0.7, want = sin(x * x) + 2 * x * x * cos(x * x), xb = 0.25;
  f_b(x, &xb, 2.0);
  return fabs(f_d(x, 1.0, &y) - want) > 1e-14 || fabs(y - x * sin(x * x)) > 1e-15 || fabs(xb - 0.25 - 2 * want) > 1e-14 ? EXIT_FAILURE : EXIT_SUCCESS;
}
";
    write(at, &[("f.c", source), ("r.toml", rules), ("main.c", main)]);
    overbar_ok(at, &["diff", "f.c", "-d", "-b", "--rules", "r.toml", "--head", "f/(x)", "-o", "g.c"]);
    runtime(at);
    silently(at, "gcc", &[&STRICT_C[..], &["-o", "check", "g.c", "main.c", "-lm"]].concat());
    silently(at, "./check", &[]);
}

#[test]
fn rules_that_do_not_fit_are_refused_with_their_place() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let refused = |source: &str, rules: &str, head: &str, mode: &str, code: &str, place: &str| {
        write(at, &[("f.f90", source), ("r.toml", rules)]);
        let out = overbar(at, &["diff", "f.f90", mode, "--rules", "r.toml", "--head", head, "-o", "never.f90"]);
        let text = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(1), "{text}");
        assert!(text.contains(code) && text.contains(place), "{code} {place}: {text}");
        assert!(!at.join("never.f90").exists());
    };
    let head = "f(b,y)/(d,b)";
    // The number of arguments, a kind, a result that is none.
    refused(
        SOURCE,
        &RULES.replace("  { name = \"status\", access = \"write\" },\n", "").replace(", \"status\"", ""),
        head,
        "-b",
        "OB4130",
        "f.f90:11",
    );
    refused(
        SOURCE,
        &RULES.replace("\"b\", access = \"readwrite\", array = true", "\"b\", access = \"readwrite\""),
        head,
        "-b",
        "OB4130",
        "f.f90:11",
    );
    refused(
        SOURCE,
        &RULES
            .replace("access = \"write\" }", "access = \"write\", derivative = true }")
            .replace("\"b\", \"bar(b)\"", "\"bar(status)\", \"b\", \"bar(b)\"")
            .replace("\"status\"]", "\"dot(status)\", \"status\"]"),
        head,
        "-b",
        "OB4130",
        "f.f90:11",
    );
    let function =
        RULES.replace("result = { name = \"v\", derivative = true }\n", "").replace(", \"bar(v)\"", "").replace(", \"v\", \"dot(v)\"", "");
    refused(SOURCE, &function, head, "-b", "OB4130", "r.toml:2");
    // No adjoint is named; an active array without a derivative; a text that is there.
    let tangent_only: String =
        RULES.lines().filter(|l| !l.starts_with("adjoint = { unit = \"divide_b")).map(|l| format!("{l}\n")).collect();
    refused(SOURCE, &tangent_only, head, "-b", "OB4132", "f.f90:11");
    let passive = RULES
        .replace("\"d\", access = \"read\", array = true, derivative = true", "\"d\", access = \"read\", array = true")
        .replace(", \"dot(d)\"", "")
        .replace(", \"bar(d)\"", "");
    refused(SOURCE, &passive, head, "-b", "OB4133", "f.f90:11");
    refused(&format!("{SOURCE}{LIBRARY}"), RULES, head, "-b", "OB4131", "r.toml:2");
    // Errors of the rules themselves.
    refused(SOURCE, &RULES.replace("\"bar(d)\"", "\"bar(e)\""), head, "-b", "OB0151", "r.toml:");
    refused(SOURCE, "[[unit]]\nname = 3\n", head, "-b", "OB0150", "r.toml:2:8");
    // Without rules it is refused as ever.
    let out = overbar(at, &["diff", "f.f90", "-b", "--head", head]);
    assert!(String::from_utf8_lossy(&out.stderr).contains("OB4002"));
}
