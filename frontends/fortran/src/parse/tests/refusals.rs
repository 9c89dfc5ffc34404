//! What is refused, with which code and where.

use super::*;

/// The codes for a subroutine with these lines.
fn refused(declarations: &str, statements: &str) -> Vec<String> {
    codes(&format!("subroutine s(x, y, n, a)\n integer n\n real(8) x, y, a(n)\n{declarations}\n{statements}\nend subroutine\n"))
}

#[test]
fn text_that_does_not_parse_has_the_parsers_position() {
    assert_eq!(codes("subroutine s(x)\n real x\n x = = 1\nend subroutine\n"), ["OB3001 3:4"]);
    assert_eq!(codes("subroutine s(x)\n x = 1 @ 2\nend subroutine\n").first().map(|c| &c[..6]), Some("OB3006"));
    assert_eq!(codes(""), ["OB3001 0:0"]);
}

#[test]
fn unsupported_constructs() {
    assert_eq!(refused("", "x = y*-2"), ["OB3038 5:7"]);
    assert_eq!(refused("", "include 'a.inc'"), ["OB3004 5:1"]);
    assert_eq!(refused("equivalence (x, y)", ""), ["OB3023 4:14"]);
    assert_eq!(refused("", "call t(*10)\n10 continue"), ["OB3025 5:9"]);
    assert_eq!(refused("", "assign 10 to n\n10 continue"), ["OB3036 5:1"]);
    assert_eq!(refused("", "goto 99"), ["OB3036 1:1"]);
    assert_eq!(refused("", "read (*,*,end=9) x\n9 continue"), ["OB3035 5:11"]);
    assert_eq!(refused("implicit none", "z = 1"), ["OB3010 5:1"]);
    assert_eq!(refused("", "do x = 1, 2\nend do"), ["OB3041 5:4"]);
    assert_eq!(refused("", "do n = 1, 2\n n = 3\nend do"), ["OB3041 6:2"]);
    assert_eq!(refused("", "exit"), ["OB3036 5:1"]);
    assert_eq!(refused("real(wp) z", ""), ["OB3011 4:5"]);
    assert_eq!(refused("", "associate (b => a)\nb(1) = x\nprint *, b(2)\nend associate"), ["OB3034 7:1"]);
    assert_eq!(refused("external f", "call t(f)"), ["OB3030 5:8"]);
    assert_eq!(refused("complex z; common /c/ z", "if (z == 1) x = 1"), ["OB3021 5:5"]);
    assert_eq!(refused("", "x = a(1, 2)"), ["OB3043 5:5"]);
    assert_eq!(refused("", "y%z = 1\nexit"), ["OB3036 6:1"]);
}

#[test]
fn output_of_what_bound_functions_return() {
    let module = |statement: &str| {
        format!(
            "module m\n implicit none\n real(8) :: state = 1\n type o\n  real(8) :: a = 2, v(3) = 1\n contains\n  procedure :: counted\n  \
             procedure :: scaled\n  procedure :: relayed\n  generic :: either => scaled, counted\n end type\ncontains\n \
             real(8) function counted(self, k)\n  class(o), intent(in) :: self\n  integer, intent(in) :: k\n  state = state + k\n  \
             counted = state*self%a\n end function\n real(8) function relayed(self, k)\n  class(o), intent(in) :: self\n  \
             integer, intent(in) :: k\n  relayed = self%counted(k)\n end function\n pure real(8) function scaled(self, x)\n  \
             class(o), intent(in) :: self\n  real(8), intent(in) :: x\n  scaled = self%a*x\n end function\n \
             subroutine s(x, p)\n  real(8), intent(in) :: x\n  type(o), intent(in) :: p(2)\n{statement}\n end subroutine\nend module\n"
        )
    };
    let of = |statement: &str| codes(&module(statement));
    assert_eq!(of("write (*, *) p(1)%counted(2)"), ["warning OB3047"]);
    assert_eq!(of("print *, x, 2*p(1)%relayed(2)"), ["warning OB3047"]);
    assert_eq!(of("print *, p(1)%either(x)"), ["warning OB3047"]);
    assert_eq!(of("print *, p(2)%scaled(x), p(1)%v(2), p(1)%v, p%a"), [""; 0]);
}
