//! Copies between work arrays become exchanges where what is copied is not read again, and exchanges of whole arrays on the heap are exchanges of pointers in C.
//! That what comes out is right is told by `c_programs/exchanged.c`, `exchanged_ends.c` and `upward.c`, and by `fortran_programs/exchanged.f90`.

use crate::common;

use common::{overbar, overbar_ok, overbar_with_input, silently};

/// A program that goes through `steps` in a loop over time with two work arrays of `n` elements, `u` and `v`, and has `behind` behind it.
fn in_time(steps: &str, behind: &str) -> String {
    format!(
        "#include <math.h>\n#include <stdlib.h>\ndouble f(int n, int nt, const double x[restrict n]) {{\n  \
         double *u = malloc(n * sizeof *u), *v = malloc(n * sizeof *v);\n  double s = 0;\n  \
         for (int i = 0; i < n; i++) {{\n    u[i] = x[i];\n    v[i] = x[i];\n  }}\n  \
         for (int t = 0; t < nt; t++) {{\n{steps}\n  }}\n{behind}\n  \
         for (int i = 0; i < n; i++)\n    s += u[i] * u[i];\n  free(u);\n  free(v);\n  return s;\n}}\n"
    )
}

/// Its adjoint in one line.
fn adjoint(text: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("p.c"), text).expect("written");
    overbar_ok(folder.path(), &["diff", "p.c", "-b", "--head", "f(f)/(x)", "-o", "out.c"]);
    let all = std::fs::read_to_string(folder.path().join("out.c")).expect("text");
    let made = all.split("void f_b").nth(1).expect("the adjoint");
    made.split_whitespace().collect::<Vec<_>>().join(" ")
}

const STEP: &str = "    for (int i = 1; i < n - 1; i++)\n      v[i] = u[i] * u[i + 1] - 0.1 * u[i - 1];\n";

#[test]
fn copies_of_all_but_the_ends_are_exchanges() {
    let made = adjoint(&in_time(&format!("{STEP}    for (int i = 1; i < n - 1; i++)\n      u[i] = v[i];"), ""));
    // In the forward sweep nobody reads the ends of v, so that those of u need only be set.
    assert!(made.contains("{ double *kept = u; u = v; v = kept; u[0] = v[0]; u[n - 1] = v[n - 1]; }"), "{made}");
    assert!(made.contains("= vb; vb = ub; ub = kept"), "{made}");
    assert!(made.contains("= vb[0]; vb[0] = ub[0]; ub[0] = kept"), "{made}");
    assert!(!made.contains("u[i] = v[i]; }") && !made.contains("vb[i] = ub[i];"), "{made}");
}

#[test]
fn what_is_read_again_is_copied() {
    let copy = "    for (int i = 1; i < n - 1; i++)\n      u[i] = v[i];";
    for (steps, behind) in [
        // Behind the copy, in the next iteration, behind the loop; in one branch; another part of it.
        (format!("{STEP}{copy}\n    u[0] *= v[2];"), ""),
        (format!("    u[0] *= v[2];\n{STEP}{copy}"), ""),
        (format!("{STEP}{copy}"), "  s += v[1] * v[1];"),
        (format!("{STEP}{copy}\n    if (t > 3)\n      u[0] *= v[1];"), ""),
        (STEP.replace("i = 1", "i = 2") + copy, ""),
    ] {
        let made = adjoint(&in_time(&steps, behind));
        assert!(made.contains("u[i] = v[i];"), "{made}");
        assert!(!made.contains("*kept = u"), "{made}");
    }
}

#[test]
fn only_a_few_elements_are_exchanged_back() {
    for (first, last) in [("n / 2", "n"), ("9", "n"), ("1", "n - 7"), ("t", "n")] {
        let loops = format!(
            "    for (int i = {first}; i < {last}; i++)\n      v[i] = u[i] * u[i];\n    for (int i = {first}; i < {last}; i++)\n      u[i] = v[i];"
        );
        let made = adjoint(&in_time(&loops, ""));
        assert!(made.contains("u[i] = v[i];") && !made.contains("*kept"), "{made}");
    }
}

#[test]
fn arrays_of_other_lengths_are_copied() {
    let text = in_time(&format!("{STEP}    for (int i = 1; i < n - 1; i++)\n      u[i] = v[i];"), "");
    let longer = text.replace("*v = malloc(n", "*v = malloc((n + 1)");
    let on_the_stack = text.replace("*u = malloc(n * sizeof *u)", "u[n]").replace("  free(u);\n", "");
    for other in [longer, on_the_stack] {
        let made = adjoint(&other);
        assert!(made.contains("u[i] = v[i];") && !made.contains("*kept"), "{made}");
    }
    // Bounds that change behind the allocation.
    let folder = tempfile::tempdir().expect("a folder");
    let steps = format!("{STEP}    for (int i = 1; i < n - 1; i++)\n      u[i] = v[i];\n    n--;");
    std::fs::write(folder.path().join("p.c"), in_time(&steps, "")).expect("written");
    let output = overbar(folder.path(), &["diff", "p.c", "-b", "--no-primal", "--head", "f(f)/(x)"]);
    assert!(!String::from_utf8_lossy(&output.stdout).contains("*kept"));
}

#[test]
fn pointers_that_change_places_do_so_in_the_adjoint() {
    let made = adjoint(&in_time(&format!("{STEP}    double *q = u;\n    u = v;\n    v = q;"), "  s += v[0];"));
    assert!(made.contains("u = v; v = q") && made.contains("vb = ub; ub = q"), "{made}");
    // The values that are recorded are so in a loop of their own.
    assert!(made.contains("_tape[t][k_1] = u[k_1]; double *q"), "{made}");
}

#[test]
fn what_is_written_can_be_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let step = "    for (int i = 1; i < n - 1; i++)\n      v[i] = 0.5 * u[i] + 0.25 * (u[i + 1] + u[i - 1]);\n    for (int i = 1; i < n - 1; i++)\n      u[i] = v[i];";
    std::fs::write(folder.path().join("p.c"), in_time(step, "")).expect("written");
    let made = overbar_ok(folder.path(), &["diff", "p.c", "-b", "--head", "f(f)/(x)", "-o", "out.c"]);
    let made = made + &std::fs::read_to_string(folder.path().join("out.c")).expect("text");
    assert!(made.contains("vb = ub;"), "{made}");
    overbar_ok(folder.path(), &["diff", "out.c", "-d", "--head", "f_b(xb)/(x)", "-o", "again.c"]);
}

#[test]
fn exchanges_go_from_one_language_to_the_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let c = in_time(&format!("{STEP}    double *q = u;\n    u = v;\n    v = q;"), "");
    let fortran = in_fortran("    call move_alloc(u, q)\n    call move_alloc(v, u)\n    call move_alloc(q, v)\n");
    let ways = [
        ("c", c, "fortran", "call move_alloc(vb, q_1b) call move_alloc(ub, vb) call move_alloc(q_1b, ub)"),
        ("fortran", fortran, "c", "= vb; vb = ub; ub = "),
    ];
    for (from, text, to, wanted) in ways {
        let xaif = overbar_with_input(at, &["frontend", from, "-"], text.as_bytes());
        let boosted = overbar_with_input(at, &["boost", "-b", "--head", "f(f)/(x)"], &xaif.stdout);
        assert!(boosted.status.success(), "{}", String::from_utf8_lossy(&boosted.stderr));
        let written = overbar_with_input(at, &["backend", to], &boosted.stdout);
        let text = String::from_utf8_lossy(&written.stdout).into_owned();
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(line.contains(wanted), "{line}{}", String::from_utf8_lossy(&written.stderr));
        // The gradient is that of differences.
        if to == "c" {
            std::fs::write(at.join("g.c"), text + C_DRIVER).expect("written");
            silently(at, "gcc", &["-std=c11", "-Wall", "-Wextra", "g.c", "-o", "run", "-lm"]);
        } else {
            let module = text.lines().find_map(|l| l.strip_prefix("module ")).expect("a module").to_owned();
            std::fs::write(at.join("g.f90"), text + &FORTRAN_DRIVER.replace("MODULE", &module)).expect("written");
            silently(at, "gfortran", &["-fcheck=all", "g.f90", "-o", "run"]);
        }
        assert_eq!(silently(at, "./run", &[]).trim(), "ok");
    }
}

const C_DRIVER: &str = r#"
#include <math.h>
int main(void) {
  int n = 7, nt = 4;
  double x[7], xb[7] = {0}, one = 1.0, h = 1e-6;
  for (int i = 0; i < n; i++)
    x[i] = 0.53 + 0.13 * i;
  f_b(&n, &nt, x, xb, &one);
  for (int i = 0; i < n; i++) {
    double kept = x[i];
    x[i] = kept + h;
    double above = f(&n, &nt, x);
    x[i] = kept - h;
    double below = f(&n, &nt, x);
    x[i] = kept;
    if (!(fabs((above - below) / (2 * h) - xb[i]) < 1e-5))
      return 1;
  }
  return puts("ok") < 0;
}
"#;

const FORTRAN_DRIVER: &str = "
program driver
  use MODULE
  implicit none
  integer, parameter :: n = 7
  double precision, parameter :: h = 1d-6
  double precision :: x(n), xb(n), y(n)
  integer :: i
  x = [(0.53d0 + 0.13d0*(i - 1), i = 1, n)]
  xb = 0
  call f_b(n, 4, x, xb, 1d0)
  do i = 1, n
    y = x
    y(i) = x(i) + h
    if (.not. abs((f(n, 4, y) - f(n, 4, 2*x - y))/(2*h) - xb(i)) < 1d-5) stop 1
  end do
  print '(a)', 'ok'
end program driver
";

/// The same program in Fortran, with the end of a step.
fn in_fortran(end: &str) -> String {
    format!(
        "real(8) function f(n, nt, x)\n  implicit none\n  integer, intent(in) :: n, nt\n  real(8), intent(in) :: x(n)\n  \
         real(8), allocatable :: u(:), v(:), q(:)\n  integer :: i, t\n  allocate (u(n), v(n))\n  u = x\n  v = x\n  \
         do t = 1, nt\n    do i = 2, n - 1\n      v(i) = u(i)*u(i + 1) - 0.1d0*u(i - 1)\n    end do\n{end}  end do\n  \
         f = dot_product(u, u)\n  deallocate (u, v)\nend function f\n"
    )
}

/// Its adjoint in one line.
fn fortran_adjoint(text: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("p.f90"), text).expect("written");
    let made = overbar_ok(folder.path(), &["diff", "p.f90", "-b", "--no-primal", "--head", "f(f)/(x)"]);
    made.split_whitespace().collect::<Vec<_>>().join(" ")
}

const MOVED: &str =
    "    ! The new state.\n    call move_alloc(u, q)\n    call move_alloc(v, u)\n    ! The old one.\n    call move_alloc(q, v)\n";

#[test]
fn allocatable_arrays_are_moved() {
    let made = fortran_adjoint(&in_fortran("    do i = 2, n - 1\n      u(i) = v(i)\n    end do\n"));
    assert!(made.contains("call move_alloc(u, kept) call move_alloc(v, u) call move_alloc(kept, v) u(1) = v(1) u(n) = v(n)"), "{made}");
    assert!(made.contains("call move_alloc(vb, kept1) call move_alloc(ub, vb) call move_alloc(kept1, ub)"), "{made}");
    // A section is the same.
    assert_eq!(
        made.matches("move_alloc").count(),
        fortran_adjoint(&in_fortran("    u(2:n - 1) = v(2:n - 1)\n")).matches("move_alloc").count()
    );
    // Somebody may point to them.
    let known = in_fortran("    u(2:n - 1) = v(2:n - 1)\n").replace("allocatable ::", "allocatable, target ::");
    assert!(!fortran_adjoint(&known).contains("move_alloc"));
}

#[test]
fn arrays_that_are_moved_in_turn_exchange_their_elements() {
    let made = fortran_adjoint(&in_fortran(MOVED));
    assert!(made.contains("! The new state. ! The old one. call move_alloc(u, q_1) call move_alloc(v, u)"), "{made}");
    assert!(made.contains("call move_alloc(vb, q_1b) call move_alloc(ub, vb) call move_alloc(q_1b, ub)"), "{made}");
    assert!(!made.contains("allocated(") && !made.contains("overbar_push"), "{made}");
    let counted = in_fortran(MOVED)
        .replace("u = x\n  v = x", "u(:) = x\n  v(:) = x")
        .replace("integer :: i, t", "integer :: i, t, m")
        .replace("allocate (u(n), v(n))", "m = n\n  allocate (u(m), v(m))");
    assert!(fortran_adjoint(&counted).contains("call move_alloc(vb, q_1b)"));
}

#[test]
fn other_moves_are_taken_as_they_are() {
    let text = in_fortran(MOVED);
    let others = [
        text.replace("u(n), v(n)", "u(n), v(0:n - 1)"),
        text.replace("allocate (u(n), v(n))", "allocate (u(n))\n  if (nt > 0) allocate (v(n))\n  if (nt <= 0) allocate (v(n))"),
        text.replace("allocate (u(n), v(n))", "allocate (u(n), v(n), q(3))"),
        text.replace("integer :: i, t", "integer :: i, t, m")
            .replace("allocate (u(n), v(n))", "m = n\n  allocate (u(m))\n  m = m + 1\n  allocate (v(m))"),
        text.replace("  f = dot_product", "  call move_alloc(v, q)\n  f = dot_product"),
        text.replace("    ! The old one.\n", "    if (t == nt) exit\n"),
        text.replace(
            "  end do\n  f =",
            "    if (t == 2) then\n      deallocate (v)\n      allocate (v(n))\n      v = 1\n    end if\n  end do\n  f =",
        ),
    ];
    for other in others {
        assert_ne!(other, text);
        let made = fortran_adjoint(&other);
        assert!(made.contains("allocated(") && !made.contains("q_1"), "{made}");
    }
}
