//! Points that are drawn, and what compilers say: programs for which inputs once were not found, right code that was called wrong, and code that passed
//! though no compiler takes it.

use crate::common;

use common::overbar;

struct Ran {
    code: Option<i32>,
    out: String,
    err: String,
}

/// Certifies a program of one file.
fn verify(file: &str, text: &str, head: &str, more: &[&str]) -> Ran {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join(file), text).expect("a file");
    let o = overbar(folder.path(), &[&["verify", file, "--head", head], more].concat());
    let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
    Ran { code: o.status.code(), out: text(&o.stdout), err: text(&o.stderr) }
}

fn passes(file: &str, text: &str, head: &str) {
    let r = verify(file, text, head, &[]);
    assert!(r.code == Some(0) && r.out.starts_with("pass") && r.out.contains("interpreter and compiled"), "{head}: {}{}", r.out, r.err);
}

#[test]
fn inputs_are_drawn() {
    passes(
        "a.f90",
        "subroutine squares(v, e)\n  implicit none\n  real(8), intent(in) :: v(:)\n  real(8), intent(out) :: e\n  real(8) :: w(size(v))\n  w = v*v\n  e = sum(w)\nend subroutine\n",
        "squares(e)/(v)",
    );
    passes(
        "b.f90",
        "subroutine sums(v, w)\n  implicit none\n  real(8), intent(in) :: v(:)\n  real(8), intent(out) :: w(size(v))\n  w = v*v*v\nend subroutine\n",
        "sums(w)/(v)",
    );
    let passive = "module media\n  implicit none\n  type medium\n    real(8) :: c, d(2)\n  end type\ncontains\n  subroutine pressure(m, rho, p)\n    type(medium), intent(in) :: m\n    \
                   real(8), intent(in) :: rho\n    real(8), intent(out) :: p\n    p = m%c*rho**2 + m%d(2)*rho\n  end subroutine\nend module\n";
    passes("c.f90", passive, "pressure(p)/(rho)");
    let bound = "module media\n  implicit none\n  type medium\n    real(8) :: c = 3d0\n  contains\n    procedure :: law\n  end type\ncontains\n  real(8) function law(self, rho)\n    \
                 class(medium), intent(in) :: self\n    real(8), intent(in) :: rho\n    law = self%c*rho\n  end function\n  subroutine pressure(m, rho, p)\n    \
                 class(medium), intent(in) :: m\n    real(8), intent(in) :: rho\n    real(8), intent(out) :: p\n    p = m%law(rho)**2\n  end subroutine\nend module\n";
    passes("d.f90", bound, "pressure(p)/(rho)");
    passes(
        "e.f90",
        "module grid\n  implicit none\n  integer, parameter :: m = 80, k = 60\ncontains\n  subroutine mean(t, e)\n    real(8), intent(in) :: t(m, k)\n    real(8), intent(out) :: e\n    e = sum(t**2)/(m*k)\n  end subroutine\nend module\n",
        "mean(e)/(t)",
    );
    passes(
        "g.c",
        "void residual(const double *p, double *r, int n, void *data) {\n  (void)data;\n  for (int i = 0; i < n; i++)\n    r[i] = p[0] * p[1] - i;\n}\n",
        "residual(r)/(p)",
    );
}

/// Ranges start at one, flags are those that the text asks for, one for each text, and grids grow.
#[test]
fn flags_and_ranges_are_drawn() {
    passes(
        "a.f90",
        "subroutine column(t, e, ok, ims, ime, kms, kme, its, ite, kts, kte)\n  implicit none\n  integer, intent(in) :: ims, ime, kms, kme, its, ite, kts, kte\n  \
         integer, intent(in) :: ok(its:ite)\n  real(8), intent(in) :: t(ims:ime, kms:kme)\n  real(8), intent(out) :: e(its:ite)\n  integer :: i, k\n  e = 0\n  \
         do i = its, ite\n    if (ok(i) /= 7) cycle\n    do k = kts + 1, kte\n      e(i) = e(i) + t(i, k)*t(i, k - 1)\n    end do\n  end do\nend subroutine\n",
        "column(e)/(t)",
    );
    passes(
        "b.f90",
        "subroutine choose(side, form, x, y)\n  implicit none\n  character, intent(in) :: side, form\n  real(8), intent(in) :: x\n  real(8), intent(out) :: y\n  \
         logical, external :: same\n  if (.not. (same(side, 'L') .or. same(side, 'R'))) stop 'side'\n  if (.not. (form == 'Q' .or. form == 'X')) stop 'form'\n  y = x*x\n  \
         if (same(side, 'R')) y = y*x\nend subroutine\nlogical function same(a, b)\n  implicit none\n  character, intent(in) :: a, b\n  same = a == b\nend function\n",
        "choose(y)/(x)",
    );
    passes(
        "c.f90",
        "subroutine piece(t, s, y)\n  implicit none\n  real(8), intent(in) :: t(6), s\n  real(8), intent(out) :: y\n  integer :: i\n  \
         if (any(t(2:) <= t(:5))) error stop 'knots'\n  y = 0\n  do i = 1, 5\n    y = y + s**i*(t(i + 1) - t(i))\n  end do\nend subroutine\n",
        "piece(y)/(t,s)",
    );
    passes(
        "d.f90",
        "module limits\n  use iso_fortran_env, only: wp => real64\n  implicit none\n  real(wp), parameter :: least(2) = [epsilon(1.0_wp), 4*atan(1.0_wp)]\ncontains\n  \
         subroutine scaled(mode, x, y)\n    integer, intent(in) :: mode\n    real(wp), intent(in) :: x\n    real(wp), intent(out) :: y\n    y = sqrt(least(1))*1d8*x**2 + least(2)\n    \
         if (mode == 5) y = y*x\n  end subroutine\nend module\n",
        "scaled(y)/(x)",
    );
    // An adjoint in single precision is a sum of which nothing is left but rounding.
    passes(
        "a.c",
        "#include <math.h>\nvoid apart(float a, double *y) {\n  for (int i = 0; i < 2; i++)\n    y[i] = a * sqrt(2.0 + i);\n  \
         double t = y[0] - a;\n  t = t + y[1] - a * sqrt(3.0);\n  y[0] = t - a * 0.41421356237309515;\n}\n",
        "apart(y)/(a)",
    );
}

/// Procedures that need what nobody gave cost no other one its check; the form of a file is what its text looks like.
#[test]
fn what_the_head_does_not_come_to_need_not_compile() {
    let text = "module column ; implicit none ; private\n  public :: heat, report\ncontains\n  subroutine heat(n, t, q)\n    use messages, only: warn, FATAL\n    \
                integer, intent(in) :: n\n    real, intent(in) :: t(n)\n    real, intent(out) :: q\n    if (n > 1000) call warn(FATAL, 'too long')\n    q = part(sum(t**2))\n  \
                end subroutine heat\n  real function part(s)\n    real, intent(in) :: s\n    part = s*exp(-s)\n  end function\n  subroutine report(g, t)\n    \
                use grids, only: grid\n    type(grid), intent(in) :: g\n    real, intent(in) :: t(g%n)\n    print *, t, &\n      g%n\n  end subroutine report\nend module column\n";
    for file in ["a.F", "a.F90", "a.f"] {
        passes(file, text, "heat(q)/(t)");
        passes(file, text, "part");
    }
    let fixed = "      subroutine twice(x, y)\n      real x, y\nc     a comment\n      y = 2*x +\n     &  x**2\n      end\n      subroutine other(x)\n      \
                 use nowhere\n      real x\n      x = scale\n      end\n";
    passes("b.f", fixed, "twice");
}

/// Exponentials that leave the range of the type on their way, and remainders near the noise.
#[test]
fn right_code_is_not_called_wrong() {
    passes(
        "h.f90",
        "subroutine humid(t, p, q)\n  implicit none\n  real(8), intent(in) :: t, p\n  real(8), intent(out) :: q\n  real(8) :: e\n  e = 6d-3*exp(20d0*(t - 270d0)/(t - 8d0))\n  q = 600d0*e/(p - 0.4d0*e)\nend subroutine\n",
        "humid(q)/(t,p)",
    );
    // Two roundings to single precision that nearly cancel.
    passes("s.c", "void scaled(double *y, float *x) {\n  float t = x[0] * y[1];\n  y[0] = 0.5 * y[0] + (-0.4 + t);\n}\n", "scaled(y)/(x)");
    let folder = tempfile::tempdir().expect("a folder");
    let text = "subroutine weak(n, q, c, x, y)\n  implicit none\n  integer, intent(in) :: n\n  real(8), intent(in) :: x(n), q(n), c(n)\n  real(8), intent(out) :: y(n)\n  y = 1d0 + x + q*x**2 - c*x**3\nend subroutine\n";
    std::fs::write(folder.path().join("w.f90"), text).expect("a file");
    // Second orders from far below the noise to far above it, and third ones that outweigh them at larger steps.
    let n = 64;
    let list = |f: &dyn Fn(i32) -> f64| (0..n).map(|k| format!("{:e}", f(k))).collect::<Vec<_>>().join(",");
    let q = list(&|k| 1e-11 * 10f64.powf(f64::from(k * 29 % 64) / 10.7));
    let c = list(&|k| 1e-9 * 10f64.powf(f64::from(k * 37 % 64) / 8.0));
    let zero = list(&|_| 0.0);
    let values = format!("{{\"args\":{{\"n\":{n},\"q\":[{q}],\"c\":[{c}],\"x\":[{zero}],\"y\":[{zero}]}}}}");
    std::fs::write(folder.path().join("v.json"), values).expect("a file");
    let o = overbar(folder.path(), &["verify", "w.f90", "--head", "weak(y)/(x)", "--input", "v.json"]);
    let out = String::from_utf8_lossy(&o.stdout);
    assert!(o.status.success() && out.starts_with("pass"), "{out}");
}

/// What a unit asks of the lengths of its work arrays is kept.
#[test]
fn lengths_are_as_the_unit_asks() {
    passes(
        "l.f90",
        "subroutine solve(n, x, lw, w, ld, a, info)\n  implicit none\n  integer, intent(in) :: n, lw, ld\n  real(8), intent(inout) :: x(n), w(lw), a(ld, n)\n  \
         integer, intent(out) :: info\n  integer :: i\n  info = 1\n  if (n <= 0 .or. ld < n .or. lw < (n*(3*n + 13))/2) return\n  do i = 1, n\n    \
         w(i + n*(n + 1)/2) = x(i)*a(i, i)\n  end do\n  do i = 1, n\n    x(i) = sin(w(i + n*(n + 1)/2))\n  end do\n  info = 0\nend subroutine\n",
        "solve(x)/(x)",
    );
    passes(
        "l.c",
        "int solve(int n, double *x, int lw, double *w) {\n  if (2 * n + 7 > lw) return -1;\n  for (int i = 0; i < n; i++)\n    w[n + 7 + i] = x[i] * x[i];\n  \
         for (int i = 0; i < n; i++)\n    x[i] = w[n + 7 + i] * x[0];\n  return 0;\n}\n",
        "solve(x)/(x)",
    );
}

/// Constants with which a program compares are where points are drawn, on both sides.
#[test]
fn points_reach_what_stands_behind_conditions() {
    let text = "double f(double x) {\n  double y = x;\n  if (x > 1e3)\n    y = x * x;\n  return y;\n}\n";
    let r = verify("f.c", text, "f/(x)", &["--run", "interpreter"]);
    assert!(r.out.starts_with("pass") && !r.out.contains("reached at no point"), "{}", r.out);
    let text = "subroutine head(x, y)\n  double precision, intent(in) :: x\n  double precision, intent(out) :: y\n  y = x\n  if (x > 0) then\n    if (x > 100) then\n      y = y*x\n    else if (x < -40 .or. x < 5) then\n      y = 3*y\n    end if\n  end if\nend subroutine\n";
    let r = verify("h.f90", text, "head(y)/(x)", &["--run", "interpreter"]);
    assert!(r.out.starts_with("pass") && !r.out.contains("reached at no point"), "{}", r.out);
}

/// What the head does not reach need not be there.
#[test]
fn unknown_functions_elsewhere_are_not_linked() {
    passes("f.c", "void note(int n);\nvoid other(int n) { note(n); }\ndouble f(double x) { return x * x; }\n", "f/(x)");
}

#[test]
fn levels_of_optimization_are_chosen() {
    let text = "double f(double x) { return x * x; }\n";
    for levels in ["0", "0,2,3", "3"] {
        let r = verify("f.c", text, "f/(x)", &["--opt-level", levels]);
        assert!(r.out.starts_with("pass") && r.out.contains("compiled"), "{levels}: {}{}", r.out, r.err);
    }
    assert_eq!(verify("f.c", text, "f/(x)", &["--opt-level", "7"]).code, Some(2));
}

/// A compiler that speaks against generated code, or does not take it: no pass. Against the user's own text it may say what it likes.
#[cfg(unix)]
#[test]
fn what_compilers_object_to_does_not_pass() {
    use std::os::unix::fs::PermissionsExt;
    let text = "double f(double x) {\n  double y = x * x;\n  return y * x;\n}\n";
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    std::fs::write(at.join("f.c"), text).expect("a file");
    let with = |script: &str| {
        let file = at.join("compiler");
        std::fs::write(&file, format!("#!/bin/sh\n{script}\n")).expect("a file");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).expect("it runs");
        let o = overbar(at, &["verify", "f.c", "--head", "f/(x)", "--cc", &file.display().to_string()]);
        (o.status.code(), String::from_utf8_lossy(&o.stdout).into_owned(), String::from_utf8_lossy(&o.stderr).into_owned())
    };
    let line = |of: &str| format!("l=$(grep -n '{of}' generated.c | head -1 | cut -d: -f1)");
    let warning = |of: &str, words: &str| format!("cc \"$@\" || exit 1\n{}\necho \"generated.c:$l:3: warning: {words}\" >&2", line(of));
    let (code, out, _) = with(&warning("double f_d", "'y' is used uninitialized [-Wuninitialized]"));
    assert!(code == Some(1) && out.starts_with("WRONG") && out.contains("is used uninitialized"), "{out}");
    for (of, words) in
        [("double f(double x)", "'y' is used uninitialized [-Wuninitialized]"), ("double f_d", "unused variable 'y' [-Wunused-variable]")]
    {
        let (code, out, err) = with(&warning(of, words));
        assert!(code == Some(0) && out.starts_with("pass") && out.contains("compiled"), "{out}{err}");
    }
    // Generated code is not taken, though the original is.
    let refused = format!(
        "case \"$*\" in *driver.c*|*generated.c*) {}; echo \"generated.c:$l:3: error: nonsense\" >&2; exit 1;; esac\ncc \"$@\"",
        line("double f_d")
    );
    let (code, out, _) = with(&refused);
    assert!(code == Some(1) && out.starts_with("WRONG") && out.contains("nonsense"), "{out}");
    // Nor is the original: nothing is known of the rest.
    let (code, out, err) = with(&format!("{refused}\n").replace("*driver.c*|*generated.c*", "*.c*"));
    assert!(code == Some(0) && out.starts_with("pass") && !out.contains("and compiled") && err.contains("OB6068"), "{out}{err}");
}

#[test]
fn rows_null_pointers_and_arrays_of_numbers_in_structures_are_drawn() {
    passes("f.c", include_str!("../conformance/c_rows_in_structures.c"), "product(c,norm)/(a,b)");
    passes("f.c", include_str!("../conformance/c_null_tests_of_structures.c"), "f/(p)");
    passes("f.c", include_str!("../conformance/c_structures_as_arrays_of_their_numbers.c"), "f/(a,p)");
    passes("f.c", include_str!("../conformance/c_work_handed_on.c"), "f(y)/(x)");
}
