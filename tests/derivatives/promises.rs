//! What derivative units promise compilers and callers, and what must not be lost between stages: directions of arguments, labels, values on the stack of an
//! earlier run, lengths that nobody knows, heads of loops and subscripts in stock documents, narrow integers. Values are exact ones.

use crate::common;

use common::{STRICT_C, overbar, overbar_ok, overbar_with_input, root, runtime, silently};
use serde_json::Value;
use std::path::Path;

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

/// The codes of what was said, where nothing came out.
fn refused(dir: &Path, arguments: &[&str]) -> Vec<String> {
    let o = overbar(dir, &[&["--message-format", "json"], arguments].concat());
    let said = String::from_utf8_lossy(&o.stderr).into_owned();
    assert!(!o.status.success() && o.stdout.is_empty(), "{arguments:?}: {}\n{said}", String::from_utf8_lossy(&o.stdout));
    let code = |l: &str| serde_json::from_str::<Value>(l).ok()?["code"].as_str().map(str::to_owned);
    said.lines().filter_map(code).collect()
}

fn numbers(text: &str) -> Vec<f64> {
    text.split_whitespace().map(|w| w.parse().unwrap_or_else(|e| panic!("{e}: {text}"))).collect()
}

fn near(a: &[f64], b: &[f64], what: &str) {
    let same = a.len() == b.len() && a.iter().zip(b).all(|(x, y)| (x - y).abs() <= 1e-12 * (1.0 + y.abs()));
    assert!(same, "{what}: {a:?}, not {b:?}");
}

/// z = (y + 4x)^2 * 9x^3 * ... with an argument that only comes out of a unit, and whose value from before it counts.
const HALVES: &str = "module halves
  implicit none
contains
  subroutine scaled(a, factor, z)
    double precision, intent(in) :: a
    double precision, intent(out) :: factor
    double precision, intent(inout) :: z
    factor = 3*a
    z = z*a*factor
  end subroutine
  subroutine filled(a, list, z)
    double precision, intent(in) :: a
    double precision, intent(out) :: list(3)
    double precision, intent(inout) :: z
    list(1) = 2*a
    list(2) = 1
    z = z*list(1)
  end subroutine
  subroutine top(x, y)
    double precision, intent(in) :: x
    double precision, intent(inout) :: y
    double precision :: factor, list(3)
    factor = 4
    list = 5
    y = y + factor*x
    call scaled(x, factor, y)
    y = y*y*factor
    y = y*list(1)
    call filled(x, list, y)
    y = y*list(1)
  end subroutine
end module
";

const HALVES_DRIVER: &str = "program driver
  use halves
  double precision :: x, xb, y, yb
  x = 0.7d0; y = 1.3d0; xb = 0; yb = 1
  call top_b(x, xb, y, yb)
  print *, xb, yb
end program
";

/// y = 27 x^5 (y + 4x)^2, times 5, times 4 x^2.
fn halves() -> [f64; 2] {
    let (x, s) = (0.7f64, 1.3 + 4.0 * 0.7);
    [540.0 * (7.0 * x.powi(6) * s * s + 8.0 * x.powi(7) * s), 540.0 * x.powi(7) * 2.0 * s]
}

#[test]
fn reverse_sweeps_read_what_forward_sweeps_leave_at_every_level_of_optimization() {
    let f = folder(&[("halves.f90", HALVES), ("driver.f90", HALVES_DRIVER)]);
    let dir = f.path();
    runtime(dir);
    for reversal in ["joint", "split", "auto"] {
        overbar_ok(dir, &["diff", "halves.f90", "-b", "--head", "top(y)/(x,y)", "--reversal", reversal, "-o", "out.f90"]);
        for level in ["-O0", "-O1", "-O2", "-O3"] {
            silently(
                dir,
                "gfortran",
                &[level, "-Wall", "-Wno-unused-dummy-argument", "overbar_runtime.f90", "out.f90", "driver.f90", "-o", "run"],
            );
            let said = silently(dir, dir.join("run").to_str().unwrap(), &[]);
            near(&numbers(&said), &halves(), &format!("{reversal} {level}"));
        }
    }
}

#[test]
fn halves_in_c_agree_at_every_level_of_optimization() {
    let text = "static void scaled(double a, double *restrict factor, double *restrict z) {\n  *factor = 3 * a;\n  *z = *z * a * *factor;\n}\n\
                static double twice(const double *restrict a, const double *restrict b) { return a[0] * b[1] * b[0]; }\n\
                void top(const double *x, double *y) {\n  double factor = 4;\n  *y = *y + factor * x[0];\n  scaled(x[0], &factor, y);\n  *y = *y * *y * factor;\n  \
                *y = *y * twice(x, x);\n}\n";
    let main = "#include \"out.c\"\n#include <stdio.h>\nint main(void) {\n  double x[2] = {0.7, 0.4}, xb[2] = {0}, y = 1.3, yb = 1;\n  \
                top_b(x, xb, &y, &yb);\n  printf(\"%.17g %.17g %.17g\\n\", xb[0], xb[1], yb);\n  return 0;\n}\n";
    let f = folder(&[("halves.c", text), ("main.c", main)]);
    let dir = f.path();
    runtime(dir);
    // 27 x0^5 (y + 4 x0)^2, times x0^2 x1
    let (x, x1, s) = (0.7f64, 0.4, 1.3 + 4.0 * 0.7);
    let exact = [27.0 * x1 * (7.0 * x.powi(6) * s * s + 8.0 * x.powi(7) * s), 27.0 * x.powi(7) * s * s, 54.0 * x1 * x.powi(7) * s];
    for reversal in ["joint", "split"] {
        overbar_ok(dir, &["diff", "halves.c", "-b", "--head", "top(y)/(x,y)", "--reversal", reversal, "-o", "out.c"]);
        for level in ["-O0", "-O2", "-O3"] {
            silently(dir, "gcc", &["-std=c11", "-Wall", "-Wextra", level, "main.c", "-o", "run"]);
            near(&numbers(&silently(dir, dir.join("run").to_str().unwrap(), &[])), &exact, &format!("{reversal} {level}"));
        }
    }
}

const STACKED_C: &str = "void grow(double *x, double bound) {\n  while (*x < bound)\n    *x = *x * *x;\n}\n";

#[test]
fn what_went_over_the_stack_is_not_differentiated_again() {
    let fortran = "subroutine grow(x, bound)\n  double precision, intent(inout) :: x\n  double precision, intent(in) :: bound\n  \
                   do while (x < bound)\n    x = x*x\n  end do\nend subroutine\n";
    let f = folder(&[("grow.c", STACKED_C), ("grow.f90", fortran)]);
    let dir = f.path();
    runtime(dir);
    let head = ["--head", "grow(x)/(x)"];
    overbar_ok(dir, &[&["diff", "grow.c", "-b", "-o", "gb.c"], &head[..]].concat());
    overbar_ok(dir, &[&["diff", "grow.f90", "-b", "-o", "gb.f90"], &head[..]].concat());
    let again = ["--head", "grow_b(xb)/(x)"];
    for mode in ["-d", "-b"] {
        let codes = refused(dir, &[&["diff", "gb.c", mode], &again[..]].concat());
        assert!(codes.iter().any(|c| c == "OB2053"), "{codes:?}");
        for files in [&["gb.f90"][..], &["overbar_runtime.f90", "gb.f90"]] {
            let codes = refused(dir, &[&["diff"], files, &[mode], &again[..]].concat());
            assert!(codes.iter().any(|c| c == "OB3053"), "{codes:?}");
        }
    }
    // A document that has been boosted, boosted again.
    for language in ["c", "fortran"] {
        let file = if language == "c" { "grow.c" } else { "grow.f90" };
        overbar_ok(dir, &["frontend", language, file, "-o", "grow.xaif"]);
        overbar_ok(dir, &[&["boost", "-b", "grow.xaif", "-o", "gb.xaif"], &head[..]].concat());
        for mode in ["-d", "-b"] {
            let codes = refused(dir, &[&["boost", "gb.xaif", mode], &again[..]].concat());
            assert!(codes.iter().any(|c| c == "OB4124"), "{codes:?}");
        }
    }
}

/// The way out that the refusal names: the tangent first, then its adjoint.
#[test]
fn second_derivatives_come_from_the_adjoint_of_a_tangent() {
    let main = "#include \"h.c\"\n#include <stdio.h>\nint main(void) {\n  double x = 1.5, xb = 0, xd = 1, xdb = 1;\n  \
                grow_d_b(&x, &xb, &xd, &xdb, 10.0);\n  printf(\"%.17g\\n\", xb);\n  return 0;\n}\n";
    let f = folder(&[("grow.c", STACKED_C), ("main.c", main)]);
    let dir = f.path();
    runtime(dir);
    overbar_ok(dir, &["diff", "grow.c", "-d", "--head", "grow(x)/(x)", "-o", "gd.c"]);
    overbar_ok(dir, &["diff", "gd.c", "-b", "--head", "grow_d(xd)/(x,xd)", "-o", "h.c"]);
    silently(dir, "gcc", &[&STRICT_C[..], &["main.c", "-o", "run"]].concat());
    // x^8 from x = 1.5 until it is above 10.
    near(&numbers(&silently(dir, dir.join("run").to_str().unwrap(), &[])), &[56.0 * 1.5f64.powi(6)], "second derivative");
}

#[test]
fn nobody_clears_an_array_of_which_nobody_knows_the_length() {
    let text = "void g(const double *x, const double *p, double *y) {\n  *y = *p * *p;\n  (void)x;\n}\n\
                void k(const double x[3], const double *p, double *y) {\n  *y = *p * *p;\n  (void)x;\n}\n";
    let main = "#include \"out.c\"\n#include <stdio.h>\nint main(void) {\n  double x[3] = {1, 2, 3}, xb[3] = {4, 5, 6}, p = 3, pb = 7, y, yb = 1;\n  \
                k_b(x, xb, &p, &pb, &y, &yb);\n  printf(\"%g %g %g %g\\n\", xb[0], xb[1], xb[2], pb);\n  return 0;\n}\n";
    let f = folder(&[("g.c", text), ("main.c", main)]);
    let dir = f.path();
    runtime(dir);
    let codes = refused(dir, &["diff", "g.c", "-b", "--zero-init", "--head", "g(y)/(x,p)"]);
    assert!(codes.iter().any(|c| c == "OB4058"), "{codes:?}");
    overbar_ok(dir, &["diff", "g.c", "-b", "--head", "g(y)/(x,p)"]);
    overbar_ok(dir, &["diff", "g.c", "-b", "--zero-init", "--head", "k(y)/(x,p)", "-o", "out.c"]);
    silently(dir, "gcc", &["-std=c11", "-Wall", "main.c", "-o", "run"]);
    near(&numbers(&silently(dir, dir.join("run").to_str().unwrap(), &[])), &[0.0, 0.0, 0.0, 6.0], "cleared");
}

/// Bodies that come to their end by jumps only.
const CONTINUED: &str = "double f(int n, const double *x) {\n  double s = 0.3;\n  int k = 0;\n  do {\n    s = s * x[k];\n    k++;\n    continue;\n  } while (k < n);\n  \
    for (int i = 0; i < n; i++) {\n    if (x[i] > 0.5) {\n      s += x[i];\n      continue;\n    }\n    s *= 2;\n    goto next;\n  next:\n    continue;\n  }\n  \
    k = 0;\n  while (k < n) {\n    k++;\n    if (k == 2)\n      continue;\n    else {\n      s += x[k - 1] * x[k - 1];\n      continue;\n    }\n  }\n  \
    do {\n    k--;\n    switch (k) {\n    case 1:\n      s *= x[0];\n      continue;\n    default:\n      s += 1;\n      continue;\n    }\n  } while (k > 0);\n  return s;\n}\n";

#[test]
fn loops_that_come_to_their_end_by_jumps_compile() {
    let main = "#include \"out.c\"\n#include <stdio.h>\nint main(void) {\n  double x[3] = {0.75, 0.5, 0.25}, xd[3] = {1, 0, 0}, xb[3] = {0}, f;\n  \
                double slope = f_d(3, x, xd, &f);\n  f_b(3, x, xb, 1.0);\n  printf(\"%.17g %.17g\\n\", slope, xb[0]);\n  return 0;\n}\n";
    let several = "#include \"out.c\"\n#include <stdio.h>\nint main(void) {\n  double x[3] = {0.75, 0.5, 0.25}, xd[3][1] = {{1}, {0}, {0}}, f, fd[1];\n  \
                   f_dv(1, 3, x, xd, &f, fd);\n  printf(\"%.17g\\n\", fd[0]);\n  return 0;\n}\n";
    let f = folder(&[("f.c", CONTINUED), ("main.c", main), ("several.c", several)]);
    let dir = f.path();
    runtime(dir);
    // s = ((0.3 a b c + a) 4 + a^2 + c^2 + 1) a + 1
    let (a, b, c) = (0.75f64, 0.5, 0.25);
    let inner = (0.3 * a * b * c + a) * 4.0 + a * a + c * c + 1.0;
    let exact = inner + a * ((0.3 * b * c + 1.0) * 4.0 + 2.0 * a);
    overbar_ok(dir, &["diff", "f.c", "-d", "-b", "--head", "f/(x)", "-o", "out.c"]);
    silently(dir, "gcc", &[&STRICT_C[..], &["main.c", "-o", "run"]].concat());
    near(&numbers(&silently(dir, dir.join("run").to_str().unwrap(), &[])), &[exact, exact], "one direction");
    overbar_ok(dir, &["diff", "f.c", "-d", "--vector", "--head", "f/(x)", "-o", "out.c"]);
    silently(dir, "gcc", &[&STRICT_C[..], &["several.c", "-o", "run"]].concat());
    near(&numbers(&silently(dir, dir.join("run").to_str().unwrap(), &[])), &[exact], "several directions");
    // The same in Fortran.
    overbar_ok(dir, &["frontend", "c", "f.c", "-o", "f.xaif"]);
    overbar_ok(dir, &["boost", "-d", "--head", "f/(x)", "f.xaif", "-o", "fd.xaif"]);
    overbar_ok(dir, &["backend", "fortran", "fd.xaif", "-o", "fd.f90"]);
    silently(dir, "gfortran", &["-fsyntax-only", "overbar_runtime.f90", "fd.f90"]);
}

#[test]
fn loops_of_fortran_that_come_to_their_end_by_jumps_compile() {
    let text = "subroutine f(n, x, s)\n  implicit none\n  integer, intent(in) :: n\n  double precision, intent(in) :: x(n)\n  double precision, intent(out) :: s\n  \
                integer :: i, k\n  s = 0.3d0\n  do 10 i = 1, n\n    s = s*x(i)\n    if (x(i) > 0.5d0) goto 10\n    s = s + x(i)\n10 continue\n  \
                do i = 1, n\n    s = s + x(i)**2\n    cycle\n  end do\n  k = 0\n  do\n    k = k + 1\n    if (k > n) exit\n    if (k == 2) then\n      cycle\n    else\n      \
                s = s*(1 + x(k))\n      cycle\n    end if\n  end do\nend subroutine\n";
    let driver = "program p\n  double precision :: x(3), xd(3), xb(3), s, sd, sb\n  x = (/ 0.75d0, 0.5d0, 0.25d0 /)\n  xd = (/ 1d0, 0d0, 0d0 /)\n  xb = 0\n  sb = 1\n  \
                  call f_d(3, x, xd, s, sd)\n  call f_b(3, x, xb, s, sb)\n  print *, sd, xb(1)\nend program\n";
    let f = folder(&[("f.f90", text), ("p.f90", driver)]);
    let dir = f.path();
    runtime(dir);
    overbar_ok(dir, &["diff", "f.f90", "-d", "-b", "--head", "f(s)/(x)", "-o", "out.f90"]);
    silently(dir, "gfortran", &["-O2", "overbar_runtime.f90", "out.f90", "p.f90", "-o", "run"]);
    let (a, b, c) = (0.75f64, 0.5, 0.25);
    // ((0.3 a b + b) c + c + a^2 + b^2 + c^2) (1 + a) (1 + c)
    let inner = (0.3 * a * b + b) * c + c + a * a + b * b + c * c;
    let exact = ((0.3 * b * c + 2.0 * a) * (1.0 + a) + inner) * (1.0 + c);
    near(&numbers(&silently(dir, dir.join("run").to_str().unwrap(), &[])), &[exact, exact], "slope");
}

fn answer(dir: &Path, arguments: &[&str]) -> Value {
    let text = overbar_ok(dir, arguments);
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

#[test]
fn conversions_around_a_call_are_of_one_element() {
    let file = root().join("tests/promises/place_moves.xaif").display().to_string();
    let f = folder(&[("v.json", r#"{"args":{"x":2.0},"seeds":{"x":1.0}}"#), ("w.json", r#"{"args":{"x":2.0},"seeds":{"y":1.0}}"#)]);
    let dir = f.path();
    overbar_ok(dir, &["boost", "-d", "--dialect", "openad", &file, "-o", "d.xaif"]);
    let tangent = answer(dir, &["eval", "d.xaif", "--unit", "outer", "--input", "v.json"]);
    // The first element is doubled, whatever the place is behind the call.
    assert_eq!((tangent["args"]["y"].as_f64(), tangent["derivatives"]["y"].as_f64()), (Some(24.0), Some(12.0)), "{tangent}");
    overbar_ok(dir, &["boost", "-b", "--dialect", "openad", &file, "-o", "b.xaif"]);
    let adjoint = answer(dir, &["eval", "b.xaif", "--unit", "outer", "--input", "w.json"]);
    assert_eq!(adjoint["derivatives"]["x"].as_f64(), Some(12.0), "{adjoint}");
}

#[test]
fn a_stride_that_is_a_variable_is_that_of_a_do_loop() {
    let file = root().join("tests/promises/stride.xaif").display().to_string();
    let f = folder(&[]);
    let dir = f.path();
    let set = |a: &Value| -> Vec<bool> { a["args"]["y"].as_array().unwrap().iter().map(|y| !y.is_null()).collect() };
    overbar_ok(dir, &["boost", "-b", "--dialect", "openad", &file, "-o", "b.xaif"]);
    for (first, last, step, expected) in [
        (1, 5, 2, [true, false, true, false, true]),
        (1, 4, 2, [true, false, true, false, false]),
        (5, 2, -3, [false, true, false, false, true]),
        (3, 2, 1, [false; 5]),
    ] {
        let values = format!(r#"{{"args":{{"x":[1,2,3,4,5],"first":{first},"last":{last},"step":{step}}},"seeds":{{"y":[1,1,1,1,1]}}}}"#);
        std::fs::write(dir.join("v.json"), values).unwrap();
        let plain = answer(dir, &["eval", &file, "--input", "v.json", "--steps", "1000"]);
        assert_eq!(set(&plain), expected, "{first} {last} {step}");
        let adjoint = answer(dir, &["eval", "b.xaif", "--input", "v.json", "--steps", "1000", "--zero-start"]);
        // Where there are no iterations, nothing has been added to.
        let added = adjoint["derivatives"]["x"].as_array();
        let slopes: Vec<f64> = added.map_or(vec![0.0; 5], |l| l.iter().map(|v| v.as_f64().unwrap_or(0.0)).collect());
        let exact: Vec<f64> = expected.iter().enumerate().map(|(k, on)| if *on { 2.0 * (k + 1) as f64 } else { 0.0 }).collect();
        assert_eq!(slopes, exact, "{first} {last} {step}");
    }
    // Stock tools get their own form back.
    let written = std::fs::read_to_string(dir.join("b.xaif")).unwrap();
    assert!(written.contains("not_equal"));
}

#[test]
fn narrow_integers_without_a_sign_are_not_written_in_fortran() {
    let text = "void g(double *x, int *k) {\n  unsigned char c = *k;\n  *k = c + 10;\n  *x = *x * *k;\n}\n\
                void h(double *x, unsigned short k) {\n  k = k + 1;\n  *x = *x * k;\n}\n";
    let f = folder(&[("g.c", text)]);
    let dir = f.path();
    let xaif = overbar_ok(dir, &["frontend", "c", "g.c"]);
    let o = overbar_with_input(dir, &["backend", "fortran"], xaif.as_bytes());
    let said = String::from_utf8_lossy(&o.stderr);
    assert!(!o.status.success() && said.matches("OB5050").count() == 2, "{said}");
}
