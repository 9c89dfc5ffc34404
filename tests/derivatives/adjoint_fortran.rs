//! Adjoints of Fortran programs, run by the interpreter.

use crate::adjoints;

use adjoints::check;
use overbar::evaluate::Data;
use overbar_fortran::parse::{ParseOptions, SourceText, parse};
use xaif::Program;

fn program(text: &str) -> Program {
    match parse(&[SourceText { file: "f.f90", text }], &ParseOptions::default()) {
        Ok((p, _)) => p,
        Err(d) => panic!("{}", d.iter().map(|d| format!("{d}\n")).collect::<String>()),
    }
}

fn x(list: &[f64]) -> Data<f64> {
    Data::reals(list)
}

fn r(v: f64) -> Data<f64> {
    Data::real(v)
}

fn n(v: i64) -> Data<f64> {
    Data::int(v)
}

#[test]
fn griewank() {
    let p = program(
        "subroutine griewank(s, a, c)
  integer, intent(in) :: s
  double precision, intent(in) :: a(s)
  double precision, intent(out) :: c
  double precision :: d
  integer :: i
  c = 1
  d = 1.d0
  do i = 1, s
    c = c + (a(i)**2)/400
    d = d*cos(a(i)/sqrt(dble(i)))
  end do
  c = c - d
end subroutine griewank
",
    );
    let inputs = [("s", n(5)), ("a", x(&[1.0; 5])), ("c", r(0.0))];
    check(&p, "griewank(c)/(a)", &inputs);
    // Statement by statement only d is recorded; local Jacobians record their entries instead.
    let never = overbar::Options { preaccumulate: overbar::transform::Preaccumulate::Never, ..Default::default() };
    let pushes = adjoints::check_boosted(&p, &adjoints::boosted(&p, "griewank(c)/(a)", never), "griewank(c)/(a)", &inputs);
    assert_eq!(pushes, 5);
}

#[test]
fn calls_are_reversed_jointly() {
    let p = program(
        "subroutine f(n, x, y)
  integer :: n, i
  real(8) :: x(n), y, t
  y = 0
  t = 1
  do i = 1, n
    call g(x(i), t)
    y = y + t*x(i)
    if (t > 2) t = t/2
  end do
  call g(y, t)
  call h(n, x, y)
contains
end subroutine
subroutine g(a, b)
  real(8) :: a, b, w
  w = a*b
  b = sin(w)*a + b
end subroutine
subroutine h(n, x, y)
  integer :: n, k
  real(8) :: x(n), y
  do k = 2, n
    x(k) = x(k)*x(k-1)
    y = y + x(k)
  end do
end subroutine
",
    );
    let at = [("n", n(4)), ("x", x(&[0.5, 1.1, -0.4, 2.0])), ("y", r(0.0))];
    check(&p, "f(y)/(x)", &at);
    check(&p, "f(x,y)/(x)", &at);
    check(&p, "f(y)/(x,y)", &at);
}

#[test]
fn functions_and_globals() {
    let p = program(
        "module m
  real(8) :: g, q
contains
  subroutine f(x, y)
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    g = x*x
    q = 2*g
    y = sq(x, g) + twice(g*x)
    call change(x)
    y = y*q + sq(y, g)
  end subroutine
  function sq(a, b) result(r)
    real(8), intent(in) :: a, b
    real(8) :: r
    r = a*b
    if (a > 1) r = r*a + g
  end function
  real(8) function twice(a)
    real(8), intent(in) :: a
    twice = 2*a*a
  end function
  subroutine change(x)
    real(8), intent(in) :: x
    q = q*x
    g = g + sin(q)
  end subroutine
end module
",
    );
    for v in [0.4, 1.6] {
        check(&p, "f(y)/(x)", &[("x", r(v)), ("y", r(0.0))]);
        check(&p, "f(y,g)/(x)", &[("x", r(v)), ("y", r(0.0))]);
        check(&p, "change(q,g)/(x,g,q)", &[("x", r(v)), ("g", r(0.3)), ("q", r(0.9))]);
    }
}

#[test]
fn recursion() {
    let p = program(
        "recursive subroutine f(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x
  real(8), intent(inout) :: y
  if (n > 0) then
    y = y*x + sin(y)
    call f(n - 1, x, y)
    y = y*y
  else
    y = y + x
  end if
end subroutine
",
    );
    for k in [0, 1, 2, 3] {
        check(&p, "f(y)/(x,y)", &[("n", n(k)), ("x", r(0.7)), ("y", r(0.6))]);
    }
}

#[test]
fn independents_that_are_overwritten() {
    let p = program(
        "subroutine f(n, x, y)
  integer, intent(in) :: n
  real(8) :: x(n), y
  integer :: i
  y = 0
  do i = 1, n
    x(i) = x(i)*x(i)
    y = y + x(i)*x(1)
  end do
end subroutine
",
    );
    check(&p, "f(y)/(x)", &[("n", n(3)), ("x", x(&[0.5, 1.5, -2.0])), ("y", r(0.0))]);
    check(&p, "f(y,x)/(x)", &[("n", n(3)), ("x", x(&[0.5, 1.5, -2.0])), ("y", r(0.0))]);
}

#[test]
fn exits_cycles_and_gotos() {
    let p = program(
        "subroutine f(n, x, y)
  integer, intent(in) :: n
  real(8) :: x(n), y
  integer :: i, k
  y = 1
  k = 0
  outer: do i = 1, n
    do k = 1, 3
      if (x(i) < 0) cycle outer
      if (y > 20) exit outer
      y = y + x(i)*y/k
      if (y > 9) exit
    end do
    y = y*1.1d0
  end do outer
10 continue
  y = y*x(1)
  k = k + 1
  if (k < 6) goto 10
  if (y > 50) return
  y = y + x(2)*k
end subroutine
",
    );
    for a in [[0.5, 1.5, -2.0, 0.9], [0.1, 0.2, 0.3, 0.4], [3.0, 2.0, 1.0, 1.0], [-1.0, -1.0, 0.2, 0.1]] {
        check(&p, "f(y)/(x)", &[("n", n(4)), ("x", x(&a)), ("y", r(0.0))]);
    }
}

#[test]
fn allocated_work_arrays() {
    let p = program(
        "subroutine f(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y
  real(8), allocatable :: w(:), v(:)
  integer :: i, k
  allocate (w(n))
  do i = 1, n
    w(i) = x(i)*x(i)
  end do
  y = 0
  do k = 1, 2
    allocate (v(n + k))
    do i = 1, n
      v(i) = sin(w(i))*k
      w(i) = w(i)*v(i)
    end do
    v(n + k) = w(1)
    do i = 1, n
      y = y + v(i)*v(n + k)
    end do
    deallocate (v)
  end do
  deallocate (w)
end subroutine
",
    );
    check(&p, "f(y)/(x)", &[("n", n(3)), ("x", x(&[0.5, 1.5, -2.0])), ("y", r(0.0))]);
}

#[test]
fn single_and_double_precision() {
    let p = program(
        "subroutine f(x, y)
  real(8), intent(in) :: x
  real(8), intent(out) :: y
  real(4) :: s
  s = real(x, 4)
  y = s*s + dble(s)*x
end subroutine
",
    );
    check(&p, "f(y)/(x)", &[("x", r(0.5)), ("y", r(0.0))]);
}

#[test]
fn select_case_and_while() {
    let p = program(
        "subroutine f(n, x, y)
  integer, intent(in) :: n
  real(8) :: x, y
  integer :: k
  k = n
  do while (k > 0)
    select case (mod(k, 3))
    case (0)
      x = x*y
    case (1)
      y = sin(x) + y
    case default
      x = x + y*y
    end select
    k = k - 1
  end do
end subroutine
",
    );
    check(&p, "f(x,y)/(x,y)", &[("n", n(7)), ("x", r(0.5)), ("y", r(0.4))]);
}
