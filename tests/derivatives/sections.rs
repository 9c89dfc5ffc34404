//! Sections of one array, handed over twice to arguments without a length: compilers copy those that do not lie in one piece, and both adjoints are written.
//!
//! The collection of programs is compiled so that every such copy is told; certificates are not.

use crate::common;

use common::overbar_ok;

const TEXT: &str = "\
real(8) function both(n, a, b)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: a(*), b(*)
  integer :: i
  both = 0
  do i = 1, n
    both = both + a(i)*b(i)
  end do
end function both

subroutine turned(n, x, z, s)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n), z(n, n)
  real(8), intent(out) :: s(6)
  real(8), external :: both
  s(1) = both(n, x, x(n:1:-1))
  s(2) = both(n, x(1:n), x(n:1:-1))
  s(3) = both(n, x(1), x(n:1:-1))
  s(4) = both((n + 1)/2, x, x(1:n:2))
  s(5) = both((n + 1)/2, x(1:n:2), x(1))
  s(6) = both(n, z(:, 1), z(1, :))
end subroutine turned

subroutine open_end(n, x, s)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(*)
  real(8), intent(out) :: s(2)
  real(8), external :: both
  s(1) = both(n, x, x(n:1:-1))
  s(2) = both(n/2, x(1:n-1:2), x(n-1:1:-2))
end subroutine open_end
";

#[test]
fn sections_that_are_copied_have_adjoints_of_their_own() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("f.f90"), TEXT).expect("written");
    for head in ["turned(s)/(x,z)", "open_end(s)/(x)"] {
        overbar_ok(folder.path(), &["verify", "f.f90", "--head", head]);
    }
}

/// What a loop overwrites in the same place again and again is recorded once around it, and where there is no iteration the place need not be there.
#[test]
fn without_iterations_there_is_no_element_to_record() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = common::root().join("tests/c_programs/recorded_around.c").display().to_string();
    let point = r#"{"args": {"n": 3, "m": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9], "b": [0.3, 0.4, 0.5], "w": [0.6, 0.7, 0.8], "x": [0.1, 0.2, 0.3, 0.4]}}"#;
    std::fs::write(folder.path().join("point.json"), point).expect("written");
    let head = "recorded_around(recorded_around,b,w)/(m,b,w,x)";
    let made = overbar_ok(folder.path(), &["diff", &program, "-b", "--head", head, "--certificate", "none"]);
    let outside = made.split("for (int j").filter(|piece| piece.contains("ob_push_double(w[n - 4])")).count();
    assert_eq!(outside, 1, "recorded around the loop:\n{made}");
    overbar_ok(folder.path(), &["verify", &program, "--head", head, "--input", "point.json"]);
}
