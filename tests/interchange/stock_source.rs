//! `frontend | boost --dialect openad | backend` as source text: what DerivativePropagators and ReplacementLists mean, compiled, against the derivatives that
//! `diff` makes and against differences of the original.

use crate::common;

use common::{STRICT_C, STRICT_FORTRAN, overbar, overbar_ok, overbar_with_input, runtime, silently};
use std::path::Path;

const FORTRAN: &str = "subroutine term(a, b, t)
  double precision, intent(in) :: a
  double precision, intent(inout) :: b
  double precision, intent(out) :: t
  b = b*cos(a) + a
  t = a*b
end subroutine
subroutine f(n, x, y)
  integer, intent(in) :: n
  double precision, intent(in) :: x(n)
  double precision, intent(out) :: y
  double precision :: t, w(3)
  integer :: i
  y = 1
  w = 0
  do i = 1, n
    w(i) = x(i)**2
    if (x(i) > 0.5d0) then
      call term(x(i), y, t)
      y = y + t*w(i)
    else
      y = y*sin(x(i)) - w(i)
    end if
  end do
  do while (y > 2)
    y = y/3 + x(1)
  end do
end subroutine
";

const FORTRAN_TANGENT: &str = "program driver
  implicit none
  double precision :: x(3) = [0.75d0, 0.25d0, 1.5d0], xd(3), y, yd, up, down, h = 1d-6, xs(3)
  integer :: k
  external f, f_d
  do k = 1, 3
    xd = 0
    xd(k) = 1
    yd = 0
    call f_d(3, x, xd, y, yd)
    print '(es24.16)', yd
    xs = x
    xs(k) = x(k) + h
    call f(3, xs, up)
    xs(k) = x(k) - h
    call f(3, xs, down)
    if (abs((up - down)/(2*h) - yd) > 1d-7*(1 + abs(yd))) error stop 'wrong'
  end do
end program
";

const FORTRAN_ADJOINT: &str = "program driver
  implicit none
  double precision :: x(3) = [0.75d0, 0.25d0, 1.5d0], xb(3), y, yb, up, down, h = 1d-6, xs(3)
  integer :: k
  external f, f_b
  xb = 0
  yb = 1
  call f_b(3, x, xb, y, yb)
  do k = 1, 3
    print '(es24.16)', xb(k)
    xs = x
    xs(k) = x(k) + h
    call f(3, xs, up)
    xs(k) = x(k) - h
    call f(3, xs, down)
    if (abs((up - down)/(2*h) - xb(k)) > 1d-7*(1 + abs(xb(k)))) error stop 'wrong'
  end do
end program
";

const C: &str = "#include <math.h>
static void term(double a, double *b, double *t) {
  *b = *b * cos(a) + a;
  *t = a * *b;
}
void f(int n, double *x, double *y) {
  double t, s = 1.0;
  for (int i = 0; i < n; i++) {
    if (x[i] > 0.5) {
      term(x[i], &s, &t);
      s += t * x[i];
    } else {
      s = s * sin(x[i]) - x[i] * x[i];
    }
  }
  *y = s;
}
";

const C_DRIVER: &str = "#include <math.h>
#include <stdio.h>
void f(int n, double *x, double *y);
DECLARED
int main(void) {
  double x[3] = {0.75, 0.25, 1.5}, g[3], y, h = 1e-6;
  int n = 3;
GRADIENT
  for (int k = 0; k < 3; k++) {
    double up, down, at = x[k];
    x[k] = at + h;
    f(N, x, &up);
    x[k] = at - h;
    f(N, x, &down);
    x[k] = at;
    printf(\"%.16e\\n\", g[k]);
    if (fabs((up - down) / (2 * h) - g[k]) > 1e-7 * (1 + fabs(g[k])))
      return 1;
  }
  return 0;
}
";

/// The source text that comes out behind the stock booster.
fn through_stock(at: &Path, (language, file): (&str, &str), head: &str, mode: &str) -> String {
    let document = overbar_ok(at, &["frontend", language, file, "--head", head]);
    let stock = overbar_with_input(at, &["boost", mode, "--dialect", "openad"], document.as_bytes());
    assert!(stock.status.success(), "{}", String::from_utf8_lossy(&stock.stderr));
    let text = overbar_with_input(at, &["backend", language], &stock.stdout);
    assert!(text.status.success(), "{}", String::from_utf8_lossy(&text.stderr));
    assert!(text.stderr.is_empty(), "{}", String::from_utf8_lossy(&text.stderr));
    String::from_utf8(text.stdout).expect("UTF-8")
}

fn numbers(text: &str) -> Vec<f64> {
    text.split_whitespace().map(|w| w.parse().expect("a number")).collect()
}

fn assert_close(found: &[f64], wanted: &[f64]) {
    assert_eq!(found.len(), wanted.len());
    assert!(found.iter().zip(wanted).all(|(a, b)| (a - b).abs() <= 1e-12 * (1.0 + b.abs())), "{found:?} instead of {wanted:?}");
}

#[test]
fn stock_derivatives_as_fortran_are_those_of_diff() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    runtime(at);
    std::fs::write(at.join("f.f90"), FORTRAN).expect("written");
    for (mode, driver) in [("-d", FORTRAN_TANGENT), ("-b", FORTRAN_ADJOINT)] {
        std::fs::write(at.join("driver.f90"), driver).expect("written");
        std::fs::write(at.join("stock.f90"), through_stock(at, ("fortran", "f.f90"), "f(y)/(x)", mode)).expect("written");
        overbar_ok(at, &["diff", "f.f90", mode, "--head", "f(y)/(x)", "-o", "own.f90"]);
        let run = |file: &str| {
            silently(at, "gfortran", &[&STRICT_FORTRAN[..], &["-c", "overbar_runtime.f90", file]].concat());
            silently(at, "gfortran", &["-w", "overbar_runtime.f90", file, "driver.f90", "-o", "run"]);
            numbers(&silently(at, "./run", &[]))
        };
        assert_close(&run("stock.f90"), &run("own.f90"));
    }
}

#[test]
fn stock_derivatives_as_c_are_those_of_diff() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    runtime(at);
    std::fs::write(at.join("f.c"), C).expect("written");
    // Stock documents pass everything by reference.
    let forms = [
        (
            "-d",
            "void f_d(int N, double *x, double *xd, double *y, double *yd);",
            "double s[3] = {0}, yd = 0; for (int k = 0; k < 3; k++) { s[k] = 1; f_d(A, x, s, &y, &yd); s[k] = 0; g[k] = yd; }",
        ),
        (
            "-b",
            "void f_b(int N, double *x, double *xb, double *y, double *yb);",
            "double yb = 1; g[0] = g[1] = g[2] = 0; f_b(A, x, g, &y, &yb);",
        ),
    ];
    for (mode, declared, gradient) in forms {
        let run = |name: &str, text: &str, by_reference: bool| {
            let (n, a) = if by_reference { ("int *n", "&n") } else { ("int n", "n") };
            let driver = C_DRIVER
                .replace("DECLARED", &declared.replace("int N", n))
                .replace("GRADIENT", &gradient.replace("f_d(A", &format!("f_d({a}")).replace("f_b(A", &format!("f_b({a}")));
            let driver = driver.replace("void f(int n", &format!("void f({n}")).replace("f(N, x", &format!("f({a}, x"));
            std::fs::write(at.join("driver.c"), driver).expect("written");
            std::fs::write(at.join(name), text).expect("written");
            silently(at, "gcc", &[&STRICT_C[..], &["-c", name, "-o", "made.o"]].concat());
            silently(at, "gcc", &["-w", "-O1", "made.o", "driver.c", "-o", "run", "-lm"]);
            numbers(&silently(at, "./run", &[]))
        };
        let stock = through_stock(at, ("c", "f.c"), "f(y)/(x)", mode);
        let own = overbar_ok(at, &["diff", "f.c", mode, "--head", "f(y)/(x)"]);
        assert_close(&run("stock.c", &stock, true), &run("own.c", &own, false));
    }
}

/// What only the templates have is refused, with the place.
#[test]
fn what_only_stock_templates_do_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let text = "subroutine f(x, y)\n  double precision, intent(in) :: x(:)\n  double precision, intent(out) :: y(:)\n  y = x*sin(x)\nend subroutine\n";
    std::fs::write(at.join("f.f90"), text).expect("written");
    let document = overbar_ok(at, &["frontend", "fortran", "f.f90", "--head", "f(y)/(x)"]);
    let stock = overbar_with_input(at, &["boost", "-d", "--dialect", "openad", "--certificate", "none"], document.as_bytes());
    assert!(stock.status.success(), "{}", String::from_utf8_lossy(&stock.stderr));
    std::fs::write(at.join("d.xaif"), &stock.stdout).expect("written");
    let o = overbar(at, &["backend", "fortran", "d.xaif"]);
    let said = String::from_utf8_lossy(&o.stderr);
    assert!(!o.status.success() && o.stdout.is_empty() && said.contains("OB4093") && said.contains("oad_AllocateMatching"), "{said}");
}
