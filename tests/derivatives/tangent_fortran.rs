//! Tangents of Fortran programs, run by the interpreter.

use crate::tangents;

use tangents::{check, codes, fortran, n, r, x};

#[test]
fn griewank() {
    let p = fortran(
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
    check(&p, "griewank(c)/(a)", &[("s", n(5)), ("a", x(&[1.0, 0.5, -2.0, 0.1, 3.0])), ("c", r(0.0))]);
}

#[test]
fn functions_globals_and_calls() {
    let p = fortran(
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
        check(&p, "f(y,g)/(x)", &[("x", r(v)), ("y", r(0.0)), ("g", r(0.0))]);
        check(&p, "change(q,g)/(x,g,q)", &[("x", r(v)), ("g", r(0.3)), ("q", r(0.9))]);
        check(&p, "twice(twice)/(a)", &[("a", r(v))]);
    }
}

#[test]
fn recursion_control_flow_and_early_exits() {
    let p = fortran(
        "recursive subroutine f(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x
  real(8), intent(inout) :: y
  integer :: i
  if (n <= 0) then
    y = y + x
    return
  end if
  do i = 1, 10
    if (i == 2) cycle
    y = y*x + sin(y)/i
    if (y > 3) exit
  end do
  call f(n - 1, x, y)
  select case (n)
  case (1)
    y = y*y
  case default
    y = 0.5d0*y
  end select
end subroutine
",
    );
    for k in [0, 1, 2, 3] {
        check(&p, "f(y)/(x,y)", &[("n", n(k)), ("x", r(0.7)), ("y", r(0.6))]);
    }
}

#[test]
fn array_statements() {
    let p = fortran(
        "subroutine f(n, x, a, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(inout) :: a(n, n)
  real(8), intent(out) :: y(n)
  real(8) :: t(n), s
  t = 2*x + 1
  a = a*x(1)
  a(:, 1) = a(:, 2)*t
  a(2:n, :) = a(1:n-1, :) + 0.5d0
  y = matmul(a, t)
  s = sum(x*t) + dot_product(x, y)
  y(1:n:2) = y(1:n:2)*s
  t(n:1:-1) = x
  y = y + maxval(t)*minval(x*x) + sum(transpose(a))*t
  a = transpose(a)
  where (x > 0) y = y + x
end subroutine
",
    );
    let a = x(&[0.3, 1.2, -0.7, 0.9, 0.2, 1.1, -0.4, 0.6, 0.8]).shaped(&[3, 3]);
    let y = x(&[0.0, 0.0, 0.0]);
    check(&p, "f(y,a)/(x,a)", &[("n", n(3)), ("x", x(&[0.5, -1.5, 2.0])), ("a", a), ("y", y)]);
}

#[test]
fn what_is_passive_for_one_caller_gets_a_zero() {
    let p = fortran(
        "subroutine f(x, y)
  real(8) :: x, y, c, w(3)
  c = 2
  call g(x, c, y)
  call g(c, x, y)
  w = 1
  w(2) = y
  call s(w, 3.0d0)
  call set(w(1))
  c = w(1) + w(2)
  call set(y)
  y = y + c*w(3)
end subroutine
subroutine g(a, b, r)
  real(8) :: a, b, r
  r = a*b*b + a
end subroutine
subroutine s(v, q)
  real(8) :: v(3), q
  v = v*q*v(2)
end subroutine
subroutine set(z)
  real(8) :: z
  z = 4
end subroutine
",
    );
    check(&p, "f(y)/(x)", &[("x", r(1.3)), ("y", r(0.0))]);
}

#[test]
fn allocatable_and_automatic_arrays() {
    let p = fortran(
        "subroutine f(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(:)
  real(8), intent(out) :: y
  real(8), allocatable :: w(:)
  real(8) :: v(n)
  integer :: i
  allocate(w(0:n))
  w(0) = 1
  do i = 1, n
    w(i) = w(i-1)*x(i)
    v(i) = w(i) + x(1)
  end do
  y = sum(v) + w(n)
  deallocate(w)
end subroutine
",
    );
    check(&p, "f(y)/(x)", &[("n", n(4)), ("x", x(&[0.5, 1.5, -2.0, 0.9])), ("y", r(0.0))]);
}

#[test]
fn work_arrays_that_the_head_does_not_name() {
    let p = fortran(
        "subroutine f(n, x, w, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(inout) :: w(n)
  real(8), intent(out) :: y
  y = w(1)
  w = x*w
  y = y + sum(w)
end subroutine
subroutine g(n, x, w, y)
  integer :: n
  real(8) :: x(n), w(*), y
  w(1:n) = x
  y = w(1)*w(2)
end subroutine
",
    );
    check(&p, "f(y)/(x)", &[("n", n(2)), ("x", x(&[0.5, 1.5])), ("w", x(&[2.0, 3.0])), ("y", r(0.0))]);
    assert_eq!(codes(&p, "g(y)/(x)"), ["OB4020"]);
    check(&p, "g(y,w)/(x)", &[("n", n(2)), ("x", x(&[0.5, 1.5])), ("w", x(&[2.0, 3.0])), ("y", r(0.0))]);
}

#[test]
fn dependents_that_do_not_depend() {
    let p = fortran(
        "subroutine f(x, y, z)
  real(8) :: x, y, z
  y = 2
  z = x*y
end subroutine
",
    );
    check(&p, "f(y,z)/(x)", &[("x", r(1.5)), ("y", r(0.0)), ("z", r(0.0))]);
    assert_eq!(codes(&p, "f(y,z)/(x)"), ["OB4008"]);
}

#[test]
fn common_blocks() {
    let p = fortran(
        "subroutine f(x, y)
  real(8) :: x, y, a, b
  common /blk/ a, b
  a = x*x
  b = 3
  call g
  y = a + b
end subroutine
subroutine g
  real(8) :: a, b
  common /blk/ a, b
  b = b*a
  a = sin(a)
end subroutine
",
    );
    check(&p, "f(y)/(x)", &[("x", r(1.5)), ("y", r(0.0))]);
}

#[test]
fn internal_procedures() {
    let p = fortran(
        "subroutine f(x, y)
  real(8) :: x, y, t
  t = x
  call step(2)
  y = t*x
  call report
contains
  subroutine step(k)
    integer :: k, i
    do i = 1, k
      t = t*sin(x) + half(t)
    end do
  end subroutine
  real(8) function half(v)
    real(8) :: v
    half = 0.5d0*v*x
  end function
  subroutine report
    print *, t
  end subroutine
end subroutine
",
    );
    check(&p, "f(y)/(x)", &[("x", r(1.5)), ("y", r(0.0))]);
}

#[test]
fn mixed_precision() {
    let p = fortran(
        "subroutine f(x, s, y)
  real(8) :: x, y
  real(4) :: s, t
  t = real(x, 4)*s
  y = t*x + s**2 + log10(s)
end subroutine
",
    );
    check(&p, "f(y)/(x,s)", &[("x", r(1.5)), ("s", r(0.75)), ("y", r(0.0))]);
}

#[test]
fn names_that_are_taken() {
    let p = fortran(
        "subroutine f(x, xd, y)
  real(8) :: x, xd, y
  y = x*xd
end subroutine
subroutine f_d(q)
  real(8) :: q
  q = 1
end subroutine
",
    );
    let (with, notes) = tangents::boosted(&p, "f(y)/(x)").unwrap();
    assert_eq!(notes.iter().map(|d| d.code).collect::<Vec<_>>(), ["OB4022", "OB4022"]);
    let u = with.unit_named("f_d0").unwrap();
    let names: Vec<&str> = with.unit(u).formals.iter().map(|f| with.symbol(f.symbol).name.as_str()).collect();
    assert_eq!(names, ["x", "xd0", "xd", "y", "yd"]);
}

#[test]
fn pointers_and_reads_are_refused_where_they_matter() {
    let p = fortran(
        "subroutine f(x, y)
  real(8), target :: x
  real(8) :: y
  real(8), pointer :: p
  p => x
  if (x > 1) nullify(p)
  y = p*p
end subroutine
subroutine g(x, y, z)
  real(8) :: x, y
  real(8), target :: z
  real(8), pointer :: p
  p => z
  if (x > 1) nullify(p)
  z = x*x
  y = p
end subroutine
subroutine h(x, y)
  real(8) :: x, y
  y = x
  read *, y
  y = y*x
end subroutine
",
    );
    assert_eq!(codes(&p, "f(y)/(x)"), ["OB4004", "OB4003", "OB4003"]);
    assert_eq!(codes(&p, "g(y)/(x)"), ["OB4004", "OB4003", "OB4003"]);
    assert_eq!(codes(&p, "h(y)/(x)"), ["OB4003"]);
}
