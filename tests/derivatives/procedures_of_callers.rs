//! Heads that get procedures from their callers: the derivative gets those of the procedures, which the caller makes with Overbar, and computes what
//! differences of the original say.

use crate::common;

use common::{STRICT_FORTRAN, overbar, overbar_ok, root, runtime, silently};
use std::path::Path;

const SOLVERS: &str = "tests/fortran_programs/procedures/procedures_of_callers";

/// What a caller has of his own.
const GIVEN: &str = "subroutine rhs(n, x, f, flag)
  implicit none
  integer, intent(in) :: n
  double precision, intent(in) :: x(n)
  double precision, intent(out) :: f(n)
  integer, intent(inout) :: flag
  integer :: i
  do i = 1, n
    f(i) = sin(x(i))*x(1 + mod(i, n)) + 0.25d0*x(i)**2
  end do
  flag = flag + 1
  if (flag > 3) f(1) = f(1)*x(n)
end subroutine rhs

pure function slope(t) result(v)
  implicit none
  double precision, intent(in) :: t
  double precision :: v
  v = exp(-t)*cos(3*t)
end function slope
";

/// Makes derivatives of a file into another one.
fn derive(folder: &Path, from: &str, to: &str, heads: &[&str]) {
    let heads = heads.iter().flat_map(|h| ["--head", h]);
    let arguments: Vec<&str> = ["diff", "-d", "-b", from, "-o", to].into_iter().chain(heads).collect();
    overbar_ok(folder, &arguments);
}

#[test]
fn derivatives_of_what_is_passed_come_from_the_caller() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::copy(root().join(format!("{SOLVERS}.f90")), folder.join("solvers.f90")).unwrap();
    std::fs::copy(root().join(format!("{SOLVERS}_old.f")), folder.join("old.f")).unwrap();
    std::fs::write(folder.join("given.f90"), GIVEN).unwrap();
    derive(folder, "solvers.f90", "g_solvers.f90", &["relaxed(x)/(x)", "mean(mean)/(a,b)"]);
    derive(folder, "old.f", "g_old.f", &["steps(y)/(y,h)"]);
    derive(folder, "given.f90", "g_given.f90", &["rhs(f)/(x)", "slope(slope)/(t)"]);
    // Behind the implicit interface of the old program all real arguments count, the time among them.
    std::fs::write(folder.join("timed.f90"), TIMED).unwrap();
    derive(folder, "timed.f90", "g_timed.f90", &["timed(yd)/(t,y)"]);
    runtime(folder);
    std::fs::write(folder.join("driver.f90"), DRIVER).unwrap();
    let mut compile: Vec<&str> = STRICT_FORTRAN.to_vec();
    compile.extend(["-Wno-compare-reals", "-Wno-maybe-uninitialized", "overbar_runtime.f90", "g_solvers.f90", "g_old.f"]);
    compile.extend(["g_given.f90", "g_timed.f90", "driver.f90", "-o", "driver"]);
    let old: Vec<&str> = compile.into_iter().filter(|c| !c.starts_with("-std")).collect();
    silently(folder, "gfortran", &old);
    let said = std::process::Command::new(folder.join("driver")).current_dir(folder).output().unwrap();
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(said.contains("right") && !said.contains("off"), "{said}");
}

/// All heads of both files are certified with functions that are drawn, by both engines.
#[test]
fn certificates_draw_what_is_passed() {
    let folder = tempfile::tempdir().unwrap();
    let heads = [
        (".f90", "relaxed(x)/(x)"),
        (".f90", "mean(mean)/(a,b)"),
        (".f90", "watched(y)/(x)"),
        (".f90", "open_end(y)/(x)"),
        ("_old.f", "steps(y)/(y,h)"),
        ("_old.f", "parts(y)/(x)"),
    ];
    for (file, head) in heads {
        let file = root().join(format!("{SOLVERS}{file}"));
        let out = overbar(folder.path(), &["verify", file.to_str().unwrap(), "--head", head]);
        let said = String::from_utf8_lossy(&out.stdout).into_owned();
        let first = said.lines().next().unwrap_or_default();
        assert!(first.starts_with("pass") && first.contains("interpreter and compiled"), "{head}: {said}");
    }
}

#[test]
fn the_three_stages_write_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let file = root().join(format!("{SOLVERS}.f90"));
    let (file, head) = (file.to_str().unwrap(), ["--head", "relaxed(x)/(x)"]);
    let whole = overbar_ok(folder.path(), &["diff", "-d", "-b", file, head[0], head[1]]);
    let front = overbar(folder.path(), &["frontend", "fortran", file, head[0], head[1]]);
    let boosted = common::overbar_with_input(folder.path(), &["boost", "-d", "-b", head[0], head[1]], &front.stdout);
    let back = common::overbar_with_input(folder.path(), &["backend", "fortran"], &boosted.stdout);
    assert_eq!(whole, String::from_utf8_lossy(&back.stdout));
}

#[test]
fn one_direction_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let file = root().join(format!("{SOLVERS}.f90"));
    let arguments = ["diff", "-d", file.to_str().unwrap(), "--head", "relaxed(x)/(x)", "--vector"];
    let out = overbar(folder.path(), &arguments);
    assert!(String::from_utf8_lossy(&out.stderr).contains("OB4142"), "{out:?}");
}

const TIMED: &str = "subroutine timed(n, t, y, yd)
  implicit none
  integer :: n
  double precision :: t, y(n), yd(20)
  integer :: i
  do i = 1, n
    yd(i) = -y(i)*t + cos(y(1 + mod(i, n)))
  end do
end subroutine timed
";

const DRIVER: &str = "program driver
  use solvers
  implicit none
  integer, parameter :: n = 4
  double precision, parameter :: e = 1d-6
  double precision :: x(n), d(n), y(n), z(n), yd(n), w(n), wb(n), a, b, m, md, ab, bb, h, hd, hb, t
  interface
    pure function slope(t) result(v)
      double precision, intent(in) :: t
      double precision :: v
    end function
  end interface
  double precision, external :: slope_d
  external :: rhs, rhs_d, rhs_b, slope_b, timed, timed_d, timed_b
  x = [0.3d0, 0.7d0, 1.1d0, 0.5d0]
  d = [1d0, -0.5d0, 0.25d0, 2d0]
  y = x + e*d; call relaxed(rhs, n, y, 3)
  z = x - e*d; call relaxed(rhs, n, z, 3)
  w = x; yd = d; call relaxed_d(rhs, rhs_d, n, w, yd, 3)
  call same('tangent of relaxed', maxval(abs(yd - (y - z)/(2*e))))
  w = x; wb = [1d0, 2d0, 3d0, 4d0]
  call relaxed_b(rhs, rhs_b, n, w, wb, 3)
  call same('adjoint of relaxed', abs(dot_product(wb, d) - dot_product([1d0, 2d0, 3d0, 4d0], yd)))
  a = 0.1d0; b = 0.9d0
  md = mean_d(slope, slope_d, a, 1d0, b, 2d0, 5, m)
  call same('value of mean', abs(m - mean(slope, a, b, 5)))
  call same('tangent of mean', abs(md - (mean(slope, a + e, b + 2*e, 5) - mean(slope, a - e, b - 2*e, 5))/(2*e)))
  ab = 0; bb = 0
  call mean_b(slope, slope_b, a, ab, b, bb, 5, 1d0)
  call same('adjoint of mean', abs(ab + 2*bb - md))
  h = 0.1d0; hd = 0.5d0
  t = 0.2d0; y = x + e*d; call steps(timed, n, t, y, h + e*hd, 3)
  t = 0.2d0; z = x - e*d; call steps(timed, n, t, z, h - e*hd, 3)
  t = 0.2d0; w = x; yd = d; call steps_d(timed, timed_d, n, t, w, yd, h, hd, 3)
  call same('tangent of steps', maxval(abs(yd - (y - z)/(2*e))))
  t = 0.2d0; w = x; wb = [1d0, 2d0, 3d0, 4d0]; hb = 0
  call steps_b(timed, timed_b, n, t, w, wb, h, hb, 3)
  call same('adjoint of steps', abs(dot_product(wb, d) + hb*hd - dot_product([1d0, 2d0, 3d0, 4d0], yd)))
  print *, 'right'
contains
  subroutine same(what, difference)
    character(*), intent(in) :: what
    double precision, intent(in) :: difference
    if (.not. difference < 1d-7) print *, what, ' is off by ', difference
  end subroutine
end program driver
";
