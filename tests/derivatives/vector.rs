//! Several directions at once, compiled: each direction against the derivative for one, text where it is promised, and what is refused.
//!
//! `certificates.rs` checks all programs of the collections in several directions, `random` a share of the random ones.

use crate::common;

use common::{STRICT_C, STRICT_FORTRAN, overbar, overbar_ok, overbar_with_input, root, runtime, silently};
use std::path::Path;

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).expect("written");
}

/// Values that change in place, results that are used at once, work arrays on the stack and on the heap, expressions passed as values.
const C: &str = r#"#include <math.h>
#include <stdlib.h>

double part(double x, double w[], int n) {
  double s = 0.0;
  for (int i = 0; i < n; i++) {
    w[i] = w[i] * x + sin(w[i]) / x;
    s += w[i];
  }
  x = x * s;
  return x;
}

double whole(int n, const double *x, double *y, double t) {
  double w[8];
  double *v = malloc(n * sizeof *v);
  double r = 0.0;
  for (int i = 0; i < n; i++) {
    w[i] = x[i] * exp(t * x[i]);
    v[i] = w[i] / (1.0 + t * t);
    if (x[i] > 0.5)
      r = r + w[i] * t;
    else
      r = fmax(r, x[i]);
  }
  r = r + part(r + 1.0, w, n);
  *y = sqrt(r * r + 1.0) * part(t, v, n);
  r = *y;
  *y = r + part(r + t, v + 1, n - 1);
  free(v);
  return r * *y;
}
"#;

const C_DRIVER: &str = r#"#include <math.h>
#include <stdio.h>
double whole_d(int n, const double *x, const double *xd, double *y, double *yd, double t, double td, double *whole);
void whole_b(int n, const double *x, double *xb, double *y, double *yb, double t, double *tb, double whole);
void whole_dv(int nbdirs, int n, const double *x, double xd[][nbdirs], double *y, double *yd, double t, double *td, double *whole, double *wholed);
void whole_bv(int nbdirs, int n, const double *x, double xb[][nbdirs], double *y, double *yb, double t, double *tb, double *whole);
enum { N = 5, P = 3 };
static int bad;
static void same(const char *what, double a, double b) {
  if (!(fabs(a - b) <= 1e-13 * (1.0 + fabs(b)))) {
    printf("%s: %.17g, should be %.17g\n", what, a, b);
    bad = 1;
  }
}
int main(void) {
  double x[N], t = 0.7, xd[N][P], yd[P], td[P], f, fd[P], y;
  for (int i = 0; i < N; i++) {
    x[i] = 0.2 + 0.15 * i;
    for (int k = 0; k < P; k++)
      xd[i][k] = cos(i + 5.0 * k);
  }
  for (int k = 0; k < P; k++)
    td[k] = k - 0.5;
  whole_dv(P, N, x, xd, &y, yd, t, td, &f, fd);
  for (int k = 0; k < P; k++) {
    double one[N], y1, y1d, f1;
    for (int i = 0; i < N; i++)
      one[i] = xd[i][k];
    double f1d = whole_d(N, x, one, &y1, &y1d, t, td[k], &f1);
    same("f", f, f1);
    same("y", y, y1);
    same("yd", yd[k], y1d);
    same("fd", fd[k], f1d);
  }
  double xb[N][P], yb[P], tb[P], fb[P], yb_in[P];
  for (int k = 0; k < P; k++) {
    for (int i = 0; i < N; i++)
      xb[i][k] = 0.1 * k;
    yb[k] = yb_in[k] = 1.0 - k;
    tb[k] = 2.0;
    fb[k] = 0.3 * k + 0.1;
  }
  whole_bv(P, N, x, xb, &y, yb, t, tb, fb);
  for (int k = 0; k < P; k++) {
    double one[N], yb1 = yb_in[k], tb1 = 2.0, y1;
    for (int i = 0; i < N; i++)
      one[i] = 0.1 * k;
    whole_b(N, x, one, &y1, &yb1, t, &tb1, 0.3 * k + 0.1);
    for (int i = 0; i < N; i++)
      same("xb", xb[i][k], one[i]);
    same("yb", yb[k], 0.0);
    same("tb", tb[k], tb1);
    /* What goes in by value stays the caller's. */
    same("fb", fb[k], 0.3 * k + 0.1);
  }
  return bad;
}
"#;

#[test]
fn directions_in_c() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    write(at, "whole.c", C);
    write(at, "driver.c", C_DRIVER);
    runtime(at);
    let head = "whole(whole,y)/(x,t)";
    overbar_ok(at, &["diff", "whole.c", "-d", "-b", "--head", head, "-o", "one.c"]);
    overbar_ok(at, &["diff", "whole.c", "-d", "-b", "--vector", "--no-primal", "--head", head, "-o", "several.c"]);
    silently(at, "gcc", &[&STRICT_C[..], &["one.c", "several.c", "driver.c", "-lm", "-o", "run"]].concat());
    silently(at, "./run", &[]);
}

const FLW: &str = "FLW2D1COL(rh3,rh4,sq)/(t3,pres,vnocl,g3,g4,rh3,rh4,sq)";

/// Figure 4 of Araya-Polo and Hascoët 2004: all statements that set tangents stand in one loop over directions.
#[test]
fn one_loop_over_directions() {
    let made = overbar_ok(&root(), &["diff", "samples/flw2d1col/flw2d1col.f", "-d", "--vector", "--no-primal", "--head", FLW]);
    let unit = made.split("subroutine FLW2D1COL_dv").nth(1).expect("the tangent").split("end subroutine").next().expect("its end");
    assert_eq!(unit.matches("do dir = 1, nbdirs").count(), 1, "{unit}");
    // What lives in one pass of the loop needs no directions.
    assert!(unit.contains("qsord, qs, qsd") && unit.contains("t3d(nbdirs, ns)"), "{unit}");
}

const FORTRAN_DRIVER: &str = "program driver
  implicit none
  integer, parameter :: ns = 4, nseg = 3, p = 3
  integer :: nubo(2, nseg) = reshape([1, 2, 2, 3, 3, 4], [2, nseg]), k
  real(8) :: t3(ns), pres(ns), vnocl(2, nseg), g3(ns), g4(ns), rh3(ns), rh4(ns), sq
  real(8) :: dv(p, ns, 6), vd(p, 2, nseg), sd(p), d(ns, 6), v1(2, nseg), s1
  call start
  call FLW2D1COL_dv(p, 1, nseg, nubo, t3, dv(:, :, 1), pres, dv(:, :, 2), vnocl, vd, g3, dv(:, :, 3), g4, &
      dv(:, :, 4), rh3, dv(:, :, 5), rh4, dv(:, :, 6), ns, nseg, sq, sd)
  call each(.false.)
  call start
  call FLW2D1COL_bv(p, 1, nseg, nubo, t3, dv(:, :, 1), pres, dv(:, :, 2), vnocl, vd, g3, dv(:, :, 3), g4, &
      dv(:, :, 4), rh3, dv(:, :, 5), rh4, dv(:, :, 6), ns, nseg, sq, sd)
  call each(.true.)
contains
  subroutine start
    integer :: i
    t3 = [(0.3d0*i, i=1, ns)]
    pres = cos(t3)
    g3 = sin(t3)
    g4 = exp(-t3)
    rh3 = 0
    rh4 = 1
    sq = 0.5d0
    vnocl = reshape([(0.1d0*i, i=1, 2*nseg)], [2, nseg])
    dv = reshape([(sin(1.7d0*i), i=1, size(dv))], shape(dv))
    vd = reshape([(cos(0.9d0*i), i=1, size(vd))], shape(vd))
    sd = [1d0, 0d0, -2d0]
  end subroutine start
  subroutine each(adjoint)
    logical, intent(in) :: adjoint
    real(8) :: made(p, ns, 6), made_v(p, 2, nseg), made_s(p)
    made = dv
    made_v = vd
    made_s = sd
    do k = 1, p
      call start
      d = dv(k, :, :)
      v1 = vd(k, :, :)
      s1 = sd(k)
      if (adjoint) then
        call FLW2D1COL_b(1, nseg, nubo, t3, d(:, 1), pres, d(:, 2), vnocl, v1, g3, d(:, 3), g4, d(:, 4), &
            rh3, d(:, 5), rh4, d(:, 6), ns, nseg, sq, s1)
      else
        call FLW2D1COL_d(1, nseg, nubo, t3, d(:, 1), pres, d(:, 2), vnocl, v1, g3, d(:, 3), g4, d(:, 4), &
            rh3, d(:, 5), rh4, d(:, 6), ns, nseg, sq, s1)
      end if
      if (any(abs(made(k, :, :) - d) > 1d-13) .or. any(abs(made_v(k, :, :) - v1) > 1d-13)) error stop 'different'
      if (abs(made_s(k) - s1) > 1d-13) error stop 'different'
    end do
  end subroutine each
end program driver
";

#[test]
fn directions_in_fortran() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    std::fs::copy(root().join("samples/flw2d1col/flw2d1col.f"), at.join("flw.f")).expect("copied");
    write(at, "driver.f90", FORTRAN_DRIVER);
    runtime(at);
    for (out, more) in [("one.f90", &[][..]), ("several.f90", &["--vector", "--no-primal"])] {
        let frontend = overbar(at, &["frontend", "fortran", "flw.f", "--head", FLW]);
        let boosted = overbar_with_input(at, &[&["boost", "-d", "-b"], &more[..more.len().min(1)]].concat(), &frontend.stdout);
        assert!(boosted.status.success(), "{}", String::from_utf8_lossy(&boosted.stderr));
        std::fs::write(at.join("b.xaif"), &boosted.stdout).expect("written");
        overbar_ok(at, &["validate", "b.xaif"]);
        // The pipe gives what `diff` gives.
        let piped = overbar_ok(at, &["backend", "fortran", "b.xaif"]);
        let whole = overbar_ok(at, &[&["diff", "flw.f", "-d", "-b", "--head", FLW], &more[..more.len().min(1)]].concat());
        assert_eq!(piped, whole);
        overbar_ok(at, &[&["diff", "flw.f", "-d", "-b", "--head", FLW, "-o", &out.replace("f90", "f")], more].concat());
    }
    for file in ["overbar_runtime.f90", "several.f"] {
        silently(at, "gfortran", &[&STRICT_FORTRAN[..], &["-c", file]].concat());
    }
    // The original has labelled loops, which the standard calls obsolescent.
    silently(at, "gfortran", &["-O2", "overbar_runtime.f90", "one.f", "several.f", "driver.f90", "-o", "run"]);
    silently(at, "./run", &[]);
}

/// The code of a refusal, and what is said.
fn refused(file: &str, text: &str, arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), file, text);
    let o = overbar(folder.path(), arguments);
    assert_eq!((o.status.code(), o.stdout.len()), (Some(1), 0));
    String::from_utf8_lossy(&o.stderr).into_owned()
}

#[test]
fn what_has_no_place_for_directions_is_refused() {
    let shared = "module m\n  real(8) :: g\ncontains\n  subroutine f(x, y)\n    real(8), intent(in) :: x\n    real(8), intent(out) :: y\n    g = 2*x\n    y = g*x\n  end subroutine f\nend module m\n";
    let said = refused("m.f90", shared, &["diff", "m.f90", "-d", "--vector", "--head", "f(y)/(x)"]);
    assert!(said.contains("OB4140") && said.contains("m.f90:2:14"), "{said}");
    let parts = "module m\n  type pair\n    real(8) :: a\n    real(8), allocatable :: b(:)\n  end type\ncontains\n  subroutine f(x, y)\n    real(8), intent(in) :: x\n    real(8), intent(out) :: y\n    type(pair) :: p\n    allocate(p%b(1))\n    p%b(1) = 2*x\n    y = p%b(1)*x\n  end subroutine f\nend module m\n";
    let said = refused("m.f90", parts, &["diff", "m.f90", "-b", "--vector", "--head", "f(y)/(x)"]);
    assert!(said.contains("OB4141") && said.contains("m.f90:"), "{said}");
    let stock = overbar_ok(&root(), &["frontend", "fortran", "samples/flw2d1col/flw2d1col.f"]);
    let said = refused("f.xaif", &stock, &["boost", "-d", "--vector", "--dialect", "openad", "--head", FLW, "f.xaif"]);
    assert!(said.contains("OB4143"), "{said}");
    let library = root().join("samples/library");
    let o = overbar(&library, &["diff", "fit.c", "-b", "--vector", "--rules", "rules.toml", "--head", "misfit(misfit)/(a,p,d,w)"]);
    let said = String::from_utf8_lossy(&o.stderr);
    assert!(o.status.code() == Some(1) && o.stdout.is_empty() && said.contains("OB4142"), "{said}");
}

/// Values that overlap what the callee changes: with several directions they are rows, and a row is no copy.
#[test]
fn values_are_copies() {
    let c = "static double phi(double a, double *b) {
  *b = 3.0 * *b;
  return a * *b;
}
static double sq(double a, double *s) {
  s[0] = 2.0 * s[0];
  s[1] = s[1] * a;
  return a;
}
static void scale(int n, double a, double *y) {
  for (int i = 0; i < n; i++)
    y[i] *= a;
}
static double g(double a, double *u) {
  *u = a * *u;
  return a * *u;
}
void f(int n, double x[n]) {
  x[2] = sq(x[1], x);
  scale(n, x[0], x);
  x[1] = g(x[1], &x[0]);
  x[0] = phi(x[2], &x[2]);
}
";
    let fortran = "module m
contains
  subroutine phi(a, b, r)
    double precision, value :: a
    double precision, intent(inout) :: b
    double precision, intent(out) :: r
    b = 3.d0*b
    r = a*b
  end subroutine
  subroutine f(x, y)
    double precision, intent(inout) :: x
    double precision, intent(out) :: y
    call phi(x, x, y)
  end subroutine
  subroutine host(x, y)
    double precision, intent(inout) :: x
    double precision, intent(out) :: y
    call inside(x)
  contains
    subroutine inside(a)
      double precision, value :: a
      x = 2.d0*x
      y = a*x
    end subroutine
  end subroutine
end module
";
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "f.c", c);
    write(folder.path(), "f.f90", fortran);
    for (file, head) in [("f.c", "f(x)/(x)"), ("f.f90", "f(x,y)/(x)"), ("f.f90", "host(x,y)/(x)")] {
        overbar_ok(folder.path(), &["verify", file, "--vector", "--head", head]);
    }
}

/// What is given flat, or a scalar as a list of one number, is no wrong derivative.
#[test]
fn input_that_is_flat_is_checked() {
    let c = "void f(int n, const double x[n][n], double *y) {\n  *y = 0;\n  for (int i = 0; i < n; i++)\n    *y += x[i][0] * x[0][i];\n}\n";
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "f.c", c);
    write(folder.path(), "flat.json", "{\"args\": {\"n\": 2, \"x\": [1, 2, 3, 4], \"y\": [0.5]}}");
    let said =
        overbar_ok(folder.path(), &["verify", "f.c", "--vector", "--run", "interpreter", "--input", "flat.json", "--head", "f(y)/(x)"]);
    assert!(said.starts_with("pass"), "{said}");
}

/// Derivatives of shared variables have directions where their number is fixed.
#[test]
fn fixed_directions_reach_shared_variables() {
    let c = "double g, table[4];\nstatic double scale(double a) {\n  g = a * g;\n  return g + table[1] * a;\n}\n\
             double f(int n, const double *x) {\n  double s = 0.0;\n  for (int i = 0; i < n; i++) {\n    table[i % 4] = x[i] * g;\n    s += scale(x[i]) * table[2];\n  }\n  return s;\n}\n";
    let fortran = "module state
  implicit none
  double precision :: g, table(4)
  double precision, allocatable :: work(:)
end module
subroutine scaled(a, r)
  use state
  implicit none
  double precision, intent(in) :: a
  double precision, intent(out) :: r
  double precision :: p, q(2)
  common /pair/ p, q
  p = p*a
  g = a*g + q(2)
  r = g + table(2)*p
end subroutine
subroutine f(n, x, y)
  use state
  implicit none
  integer, intent(in) :: n
  double precision, intent(in) :: x(n)
  double precision, intent(out) :: y
  double precision :: q(2), p, r
  integer :: i
  common /pair/ p, q
  allocate(work(n))
  work = x*g
  q(2) = x(1)
  y = 0
  do i = 1, n
    table(2) = work(i)*q(2)
    call scaled(x(i), r)
    y = y + r
  end do
  deallocate(work)
end subroutine
";
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "f.c", c);
    write(folder.path(), "f.f90", fortran);
    for (file, head) in [("f.c", "f(f,g,table)/(x,g,table)"), ("f.c", "f/(x)"), ("f.f90", "f(y,g)/(x,g,p)"), ("f.f90", "f(y)/(x)")] {
        for number in ["--vector=1", "--vector=5"] {
            let said = overbar_ok(folder.path(), &["verify", file, number, "--head", head]);
            assert!(said.starts_with("pass") && said.contains("interpreter and compiled"), "{file} {head} {number}: {said}");
        }
    }
    let made = overbar_ok(folder.path(), &["diff", "f.c", "-d", "--vector=5", "--no-primal", "--head", "f/(x)"]);
    assert!(made.contains("double gd[5]") && !made.contains("nbdirs"), "{made}");
}

/// A number of directions that is fixed comes back from XAIF.
#[test]
fn fixed_directions_go_through_the_pipe() {
    let folder = tempfile::tempdir().expect("a folder");
    write(
        folder.path(),
        "f.c",
        "double g;\nvoid f(const double x[2], double y[2]) {\n  g = x[0] * x[1];\n  y[0] = g * x[0];\n  y[1] = g + x[1];\n}\n",
    );
    let head = ["--head", "f(y)/(x)"];
    let read = overbar(folder.path(), &[&["frontend", "c", "f.c"], &head[..]].concat());
    let boosted = overbar_with_input(folder.path(), &["boost", "-d", "-b", "--vector=2"], &read.stdout);
    assert!(boosted.status.success(), "{}", String::from_utf8_lossy(&boosted.stderr));
    write(folder.path(), "b.xaif", &String::from_utf8_lossy(&boosted.stdout));
    overbar_ok(folder.path(), &["validate", "b.xaif"]);
    let piped = overbar_ok(folder.path(), &["backend", "c", "b.xaif"]);
    assert_eq!(piped, overbar_ok(folder.path(), &[&["diff", "f.c", "-d", "-b", "--vector=2"], &head[..]].concat()));
    write(folder.path(), "d.c", &piped);
    let driver = "#include <stdio.h>\nvoid f_bv(const double *x, double (*xb)[2], double *y, double (*yb)[2]);\nint main(void) {\n  double x[2] = {2, 3}, xb[2][2] = {{0}}, y[2], yb[2][2] = {{1, 0}, {0, 1}};\n  f_bv(x, xb, y, yb);\n  return xb[0][0] != 12 || xb[1][0] != 4 || xb[0][1] != 3 || xb[1][1] != 3;\n}\n";
    write(folder.path(), "driver.c", driver);
    silently(folder.path(), "gcc", &["-std=c99", "-Wall", "-Wextra", "-O2", "d.c", "driver.c", "-lm", "-o", "run"]);
    silently(folder.path(), "./run", &[]);
    for wrong in ["--vector=0", "--vector=x", "--vector=400000000"] {
        let o = overbar(folder.path(), &[&["diff", "f.c", "-d", wrong], &head[..]].concat());
        assert_eq!(o.status.code(), Some(2), "{wrong}");
    }
}

/// Structures with arrays in them, as arguments and locals, in one direction and in several, by the interpreter and compiled.
#[test]
fn structures_of_arrays_have_directions() {
    let fortran = "module bodies
  implicit none
  type body
    double precision :: x(2), mass, a(2, 2)
  end type
  type(body) :: last
contains
  subroutine move(b, h)
    type(body), intent(inout) :: b
    double precision, intent(in) :: h
    integer :: i
    do i = 1, 2
      b%x(i) = b%x(i) + h*b%mass*b%x(3 - i)
    end do
    b%a = b%a*h
    b%a(:, 1) = b%x
  end subroutine
  subroutine f(b, h, y)
    type(body), intent(inout) :: b
    double precision, intent(in) :: h
    double precision, intent(out) :: y
    type(body) :: c(2)
    c(1) = b
    c(2) = b
    call move(c(2), h)
    b%x = 0
    b%x(1) = c(2)%x(1)*c(1)%x(2)
    y = sum(b%x)*b%mass + sum(c(2)%a)
  end subroutine
  subroutine g(h, y)
    double precision, intent(in) :: h
    double precision, intent(out) :: y
    last%x = h
    last%a(1, :) = last%x*h
    y = last%a(1, 2)*last%x(1)
  end subroutine
end module
";
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "f.f90", fortran);
    for (head, all) in [("f(b,y)/(b)", &[&[][..], &["--vector"], &["--vector=3"]][..]), ("g(y)/(h)", &[&["--vector=2"]])] {
        for directions in all {
            let said = overbar_ok(folder.path(), &[&["verify", "f.f90", "--head", head], *directions].concat());
            assert!(said.starts_with("pass") && said.contains("interpreter and compiled"), "{head} {directions:?}: {said}");
        }
    }
}

/// The same in C: by pointer, by value, in arrays, as results, at file scope.
#[test]
fn structures_of_c_have_directions() {
    let c = "#include <math.h>
struct body { double x[2], mass; };
struct pair { double x, y; };
struct body last, all[3];
static void move(struct body *b, double h, int n) {
  for (int k = 0; k < n; k++)
    for (int i = 0; i < 2; i++)
      b->x[i] += h * b->mass * sin(b->x[1 - i]);
  if (n > 5) move(b, h, n - 1);
}
double f(int m, struct body *b, double h) {
  struct body c[2];
  c[0] = b[0];
  c[1] = b[m - 1];
  move(&c[1], h, 2);
  move(b, h, 1);
  b[0].mass *= c[1].x[0];
  return c[1].x[0] * c[0].x[1] + b[0].mass;
}
static struct pair turned(struct pair p, int n) {
  struct pair q = {-p.y, p.x * p.x};
  if (n > 0) return turned(q, n - 1);
  return q;
}
double g(struct pair s, double x) {
  struct pair p = turned((struct pair){x, 2.0 * x + s.y}, 2);
  return p.x * p.y * s.x;
}
double shared(double h) {
  last.x[0] = h;
  last.mass = last.x[0] * h;
  for (int i = 0; i < 3; i++) {
    all[i].mass = last.mass * i;
    all[i].x[1] = h * all[i].mass;
  }
  return last.mass * h + all[2].x[1] * all[1].mass;
}
double changed(struct pair s) {
  s.x *= s.y;
  return s.x * s.y;
}
";
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "f.c", c);
    let (both, fixed): (&[&str], &[&str]) = (&["--vector", "--vector=3"], &["--vector=3"]);
    for (head, all) in
        [("f/(b,h)", both), ("g/(s,x)", both), ("changed/(s)", both), ("shared/(h)", fixed), ("shared(shared,last,all)/(h)", fixed)]
    {
        for directions in all {
            let said = overbar_ok(folder.path(), &["verify", "f.c", directions, "--head", head]);
            assert!(said.starts_with("pass") && said.contains("interpreter and compiled"), "{head} {directions}: {said}");
        }
    }
}
