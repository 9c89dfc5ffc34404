//! Loops of few iterations over small arrays, which are written out, and those that stay. Each body is verified, and looked at.

use crate::common;

use common::overbar_ok;

/// The adjoint of the body of a loop over `i` with small arrays `d`, `e` and `m`, verified by the tool.
fn adjoint(body: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let text = format!(
        "#include <math.h>\ndouble f(int n, const double x[restrict n + 3], double z) {{\n  double s = 0.0, d[4], e[9], m[2][2];\n  int k = 0;\n  for (int i = 0; i < n; i++) {{\n    {body}\n  }}\n  return s + k;\n}}\n"
    );
    std::fs::write(folder.path().join("p.c"), text).expect("written");
    let head = ["--head", "f(f)/(x,z)"];
    for reversal in ["joint", "split"] {
        let told = overbar_ok(folder.path(), &[&["verify", "p.c", "--reversal", reversal], &head[..]].concat());
        assert!(told.starts_with("pass"), "{body}: {told}");
    }
    overbar_ok(folder.path(), &[&["diff", "p.c", "-b", "--no-primal", "-o", "out.c"], &head[..]].concat());
    std::fs::read_to_string(folder.path().join("out.c")).expect("text").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Loops in the adjoint: over `i`, in both sweeps or in one, and what else there is.
fn inner_loops(made: &str) -> usize {
    made.matches("for (").count() - made.matches("for (int i = ").count()
}

#[test]
fn loops_that_keep_arrays_from_being_scalars_are_written_out() {
    for (name, body) in [
        ("upward", "for (int a = 0; a < 4; a++) d[a] = x[i + a] * z; s += d[0] * d[1] * d[2] * d[3];"),
        ("downward", "for (int a = 3; a >= 0; a--) d[a] = x[i + a] * z; s += d[0] * d[1] * d[2] * d[3];"),
        ("in steps", "for (int a = 0; a < 4; a += 2) d[a] = x[i + a] * z; s += d[0] * d[2];"),
        (
            "nested",
            "for (int a = 0; a < 2; a++) for (int b = 0; b < 2; b++) m[a][b] = x[i + 2 * a + b] * z; s += m[0][0] * m[1][1] - m[0][1] * m[1][0];",
        ),
        ("with a branch", "for (int a = 0; a < 3; a++) if (x[i + a] > 0.5) d[a] = sin(x[i + a]); else d[a] = z; s += d[0] * d[1] * d[2];"),
        ("with its index read behind it", "for (k = 0; k < 3; k++) d[k] = x[i + k] * z; s += d[0] * d[1] * d[2] * k;"),
    ] {
        let made = adjoint(body);
        assert!(inner_loops(&made) == 0, "{name}: {made}");
    }
}

#[test]
fn other_loops_stay() {
    for (name, body) in [
        ("many iterations", "for (int a = 0; a < 9; a++) e[a] = x[i + a % 4] * z; s += e[0] * e[8];"),
        ("an element that is known only when it runs", "for (int a = 0; a < 3; a++) d[a] = x[i + a] * z; s += d[0] * d[i % 3];"),
        ("no array of the unit's own", "for (int a = 0; a < 3; a++) s += sin(x[i + a] * z);"),
        ("left early", "for (int a = 0; a < 3; a++) { d[a] = x[i + a] * z; if (d[a] > 9.0) break; s += d[a] * d[0]; }"),
    ] {
        assert!(inner_loops(&adjoint(body)) > 0, "{name}");
    }
}

/// Internal functions of vectors of a few elements stand where they are called; those of larger arrays stay procedures.
#[test]
fn vectors_of_internal_functions_are_known_to_their_callers() {
    for (size, stays) in [(3, false), (5, true)] {
        let folder = tempfile::tempdir().expect("a folder");
        let text = format!(
            "subroutine f(n, x, y, z)\n  integer, intent(in) :: n\n  real(8), intent(in) :: x({size}, n), z\n  real(8), intent(out) :: y\n  real(8) :: s({size})\n  integer :: i\n  s = z\n  do i = 1, n\n    s = s + turned(x(:, i))\n  end do\n  y = sum(s)\ncontains\n  pure function turned(a) result(b)\n    real(8), intent(in) :: a({size})\n    real(8) :: b({size})\n    b = z*sin(a)\n  end function turned\nend subroutine f\n"
        );
        std::fs::write(folder.path().join("f.f90"), text).expect("written");
        let head = ["--head", "f(y)/(x,z)"];
        let told = overbar_ok(folder.path(), &[&["verify", "f.f90"], &head[..]].concat());
        assert!(told.starts_with("pass"), "{told}");
        overbar_ok(folder.path(), &[&["diff", "f.f90", "-b", "--no-primal", "-o", "out.f90"], &head[..]].concat());
        let made = std::fs::read_to_string(folder.path().join("out.f90")).expect("text");
        assert_eq!(made.contains("call turned_b("), stays, "{made}");
    }
}
