//! A Fortran kernel, its tangent and its adjoint written in C: the same numbers as in Fortran.

use crate::common;
use common::{overbar_ok, root, runtime, silently};

/// Words that are numbers agree to 13 digits, others exactly.
fn close(a: &str, b: &str) -> bool {
    match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(x), Ok(y)) => (x - y).abs() <= 1e-13 * (1.0 + x.abs()),
        _ => a == b,
    }
}

#[test]
fn a_fortran_kernel_computes_the_same_in_c() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let data = root().join("tests/languages");
    for name in ["kernel.f90", "driver.c"] {
        std::fs::copy(data.join(name), dir.join(name)).unwrap();
    }
    runtime(dir);
    overbar_ok(dir, &["frontend", "fortran", "kernel.f90", "-o", "kernel.xaif"]);
    overbar_ok(dir, &["boost", "-b", "-d", "--head", "smooth(v,s)/(u,v)", "--head", "mm(c)/(a,b)", "kernel.xaif", "-o", "boosted.xaif"]);
    overbar_ok(dir, &["backend", "c", "boosted.xaif", "-o", "kernel.c"]);
    overbar_ok(dir, &["backend", "fortran", "boosted.xaif", "-o", "boosted.f90"]);
    silently(dir, "gcc", &["-std=c11", "-Wall", "-Wextra", "-pedantic", "-O2", "-c", "kernel.c"]);
    silently(dir, "gcc", &["-std=c11", "driver.c", "kernel.o", "-lm", "-o", "in_c"]);
    silently(dir, "gfortran", &["-O2", "-c", "overbar_runtime.f90", "boosted.f90"]);
    silently(dir, "gcc", &["-std=c11", "-DFROM_FORTRAN", "-c", "driver.c"]);
    silently(dir, "gfortran", &["driver.o", "boosted.o", "overbar_runtime.o", "-o", "in_fortran"]);
    let [c, fortran] = ["./in_c", "./in_fortran"].map(|p| silently(dir, dir.join(p).to_str().unwrap(), &[]));
    assert!(c.lines().count() > 90);
    for (k, (a, b)) in c.lines().zip(fortran.lines()).enumerate() {
        let same = a.split(' ').count() == b.split(' ').count() && a.split(' ').zip(b.split(' ')).all(|(x, y)| close(x, y));
        assert!(same, "line {k}:\n{a}\n{b}");
    }
}

/// What C has no words for: shapes that come with arrays, functions that are arrays, procedures inside of others, assignments that read what they set.
#[test]
fn what_fortran_has_and_c_has_not_computes_the_same_in_c() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let data = root().join("tests/languages");
    for name in ["shapes.f90", "shapes.c"] {
        std::fs::copy(data.join(name), dir.join(name)).unwrap();
    }
    runtime(dir);
    overbar_ok(dir, &["frontend", "fortran", "shapes.f90", "-o", "shapes.xaif"]);
    let heads = ["--head", "shaped(y)/(x,w)", "--head", "hosted(y)/(x)", "--head", "moved(y)/(x)"];
    overbar_ok(dir, &[&["boost", "-b", "-d", "shapes.xaif", "-o", "boosted.xaif"], &heads[..]].concat());
    overbar_ok(dir, &["backend", "c", "boosted.xaif", "-o", "boosted.c"]);
    overbar_ok(dir, &["backend", "fortran", "boosted.xaif", "-o", "boosted.f90"]);
    silently(dir, "gcc", &["-std=c11", "-Wall", "-Wextra", "-pedantic", "-O2", "-c", "boosted.c", "-o", "boosted_c.o"]);
    silently(dir, "gcc", &["-std=c11", "shapes.c", "boosted_c.o", "-lm", "-o", "in_c"]);
    silently(dir, "gfortran", &["-O2", "-c", "overbar_runtime.f90", "boosted.f90"]);
    silently(dir, "gcc", &["-std=c11", "-DFROM_FORTRAN", "-c", "shapes.c"]);
    silently(dir, "gfortran", &["shapes.o", "boosted.o", "overbar_runtime.o", "-o", "in_fortran"]);
    let [c, fortran] = ["./in_c", "./in_fortran"].map(|p| silently(dir, dir.join(p).to_str().unwrap(), &[]));
    assert!(c.lines().count() > 70);
    for (k, (a, b)) in c.lines().zip(fortran.lines()).enumerate() {
        let same = a.split(' ').count() == b.split(' ').count() && a.split(' ').zip(b.split(' ')).all(|(x, y)| close(x, y));
        assert!(same, "line {k}:\n{a}\n{b}");
    }
}

#[test]
fn several_files_become_one() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    std::fs::write(dir.join("a.c"), "extern double shared;\ndouble g(double x);\ndouble h(double x) { shared = x; return g(x) + 1; }\n")
        .unwrap();
    std::fs::write(dir.join("b.c"), "double shared = 1.5;\ndouble g(double x) { return x * x * shared; }\n").unwrap();
    let code = overbar_ok(dir, &["diff", "a.c", "b.c", "-b", "--head", "h/(x)"]);
    let main = "\n#include <stdio.h>\nint main(void) {\n  double xb = 0;\n  h_b(2, &xb, 1);\n  printf(\"%g\\n\", xb);\n  return 0;\n}\n";
    std::fs::write(dir.join("both.c"), code + main).unwrap();
    runtime(dir);
    silently(dir, "gcc", &["-std=c11", "-Wall", "-Wextra", "-pedantic", "-O2", "both.c", "-o", "both"]);
    // h = x**3 + 1
    assert_eq!(silently(dir, dir.join("both").to_str().unwrap(), &[]), "12\n");
}

#[test]
fn what_is_stored_as_a_result_for_nobody_is_not_declared() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let text = "double precision function f(x) result(value)\n  double precision, intent(in) :: x\n  double precision :: t\n  value = cos(x)\n  \
                t = x*x\n  value = t*x\nend function f\n";
    std::fs::write(dir.join("f.f90"), text).unwrap();
    overbar_ok(dir, &["frontend", "fortran", "f.f90", "-o", "f.xaif"]);
    overbar_ok(dir, &["boost", "-b", "--head", "f/(x)", "f.xaif", "-o", "b.xaif"]);
    let code = overbar_ok(dir, &["backend", "c", "b.xaif"]);
    let main = "\n#include <stdio.h>\nint main(void) {\n  double x = 2, xb = 0, seed = 1;\n  f_b(&x, &xb, &seed);\n  printf(\"%g %g\\n\", f(&x), xb);\n  return 0;\n}\n";
    std::fs::write(dir.join("f.c"), code + main).unwrap();
    silently(dir, "gcc", &["-std=c11", "-Wall", "-Wextra", "-pedantic", "-O2", "f.c", "-lm", "-o", "f"]);
    assert_eq!(silently(dir, dir.join("f").to_str().unwrap(), &[]), "8 12\n");
}

/// Variables of a module that the library, too, has at file scope: y = x**2 at 2, slope 4.
#[test]
fn variables_at_file_scope_leave_the_library_its_names() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let text = "module m\n  implicit none\n  real(8) :: time = 0.5d0, gamma = 2d0, signal = 1d0\ncontains\n  subroutine f(x, y)\n    real(8), intent(in) :: x\n    \
                real(8), intent(out) :: y\n    y = x*x*time*gamma*signal\n  end subroutine\nend module\n";
    std::fs::write(dir.join("f.f90"), text).unwrap();
    overbar_ok(dir, &["frontend", "fortran", "f.f90", "-o", "f.xaif"]);
    overbar_ok(dir, &["boost", "-d", "--head", "f(y)/(x)", "f.xaif", "-o", "d.xaif"]);
    let code = overbar_ok(dir, &["backend", "c", "d.xaif"]);
    let main = "\n#include <math.h>\n#include <signal.h>\n#include <stdio.h>\n#include <time.h>\nint main(void) {\n  double x = 2, xd = 1, y, yd;\n  \
                f_d(&x, &xd, &y, &yd);\n  printf(\"%g %g %d\\n\", y, yd, time(NULL) > 0);\n  return 0;\n}\n";
    std::fs::write(dir.join("f.c"), code + main).unwrap();
    silently(dir, "gcc", &["-std=c11", "-Wall", "-Wextra", "-pedantic", "-O2", "f.c", "-lm", "-o", "f"]);
    assert_eq!(silently(dir, dir.join("f").to_str().unwrap(), &[]), "4 4 1\n");
}
