//! Small arrays whose elements are named by constants are known element by element: iterations that set all that they use record nothing.
//!
//! That what comes out is right is told by `c_programs/small_vectors.c`, `fortran_programs/small_vectors.f90` and by random programs, a share of
//! which has its scalars in such an array.

use crate::common;

use common::overbar_ok;

fn adjoint(file: &str, text: &str, head: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join(file), text).expect("written");
    overbar_ok(folder.path(), &["diff", file, "-b", "--no-primal", "--head", head])
}

#[test]
fn iterations_with_vectors_of_their_own_record_nothing() {
    let c = "#include <math.h>\ndouble f(int n, const double *restrict x, const double *restrict c) {\n  double s = 0.0, d[3];\n  for (int i = 0; i < n; i++) {\n    \
             d[0] = x[3 * i] - c[0];\n    d[1] = x[3 * i + 1] - c[1];\n    d[2] = x[3 * i + 2] - c[2];\n    \
             double r = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];\n    s += 1.0 / sqrt(r);\n  }\n  return s;\n}\n";
    let made = adjoint("f.c", c, "f/(x)");
    // One loop, the names of the source, and no memory.
    assert!(made.contains("d[0] = x[3 * i] - c[0];") && made.matches("for (").count() == 1, "{made}");
    assert!(!made.contains("malloc") && !made.contains("ob_push") && !made.contains("memset"), "{made}");
    let fortran = "subroutine f(n, x, s)\n  integer, intent(in) :: n\n  real(8), intent(in) :: x(2, n)\n  real(8), intent(out) :: s\n  real(8) :: d(0:1)\n  integer :: i\n  \
                   s = 0\n  do i = 1, n\n    d(0) = exp(x(1, i))\n    d(1) = x(2, i)*d(0)\n    s = s + d(0)*d(1)\n  end do\nend subroutine f\n";
    let made = adjoint("f.f90", fortran, "f(s)/(x)");
    assert!(made.contains("d(0) = exp(x(1, i))") && made.matches("do i =").count() == 1, "{made}");
    assert!(!made.contains("push") && !made.contains("allocat"), "{made}");
}

#[test]
fn a_subscript_that_varies_keeps_the_array_whole() {
    let c = "double f(int n, int k, const double *restrict x) {\n  double s = 0.0, d[2];\n  for (int i = 0; i < n; i++) {\n    \
             d[0] = x[i];\n    d[1] = x[i] * x[i];\n    s += d[0] * d[1] * d[k];\n  }\n  return s;\n}\n";
    let made = adjoint("f.c", c, "f/(x)");
    assert!(made.contains("d[k]") && made.contains("db["), "{made}");
}

/// What is told of an element has its name in the source.
#[test]
fn elements_are_told_by_their_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "double f(int n, const double *restrict x) {\n  double s = 0.0, d[2];\n  d[0] = 1.0;\n  d[1] = 0.5;\n  for (int i = 0; i < n; i++) {\n    \
                d[0] = d[1] * d[0] * x[i];\n    s += d[0] * d[0];\n  }\n  return s;\n}\n";
    std::fs::write(folder.path().join("f.c"), text).expect("written");
    overbar_ok(folder.path(), &["diff", "f.c", "-b", "--preaccumulate", "never", "--head", "f/(x)", "--facts", "facts.json"]);
    let told = std::fs::read_to_string(folder.path().join("facts.json")).expect("text");
    assert!(told.contains("\"d[0]\"") && !told.contains("d_0"), "{told}");
}
