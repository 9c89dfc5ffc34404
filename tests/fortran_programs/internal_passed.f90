! Internal procedures that are passed as arguments: what they take from their host has derivatives like any other variable.
! head: f(y)/(x)
! use: internal_passed
! args: x(2), y
! head: g(y)/(x)
! use: internal_passed
! args: x(3), y
! head: nested(y)/(x)
! use: internal_passed
! args: x(2), y
! head: root(r)/(c)
! use: internal_passed
! args: c(2), r
module quadratures
  implicit none
  abstract interface
    function fun(t) result(r)
      double precision, intent(in) :: t
      double precision :: r
    end function
    subroutine rhs(n, t, u, du)
      integer, intent(in) :: n
      double precision, intent(in) :: t, u(n)
      double precision, intent(out) :: du(n)
    end subroutine
  end interface
  integer, parameter :: sixth = 6
contains
  function simpson(fu, a, b) result(s)
    procedure(fun) :: fu
    double precision, intent(in) :: a, b
    double precision :: s
    s = (b - a)/sixth*(fu(a) + 4*fu(0.5d0*(a + b)) + fu(b))
  end function
  function halves(fu, a, b) result(s)
    double precision, external :: fu
    double precision, intent(in) :: a, b
    double precision :: s
    s = simpson(fu, a, 0.5d0*(a+b)) + simpson(fu, 0.5d0*(a+b), b)
  end function
  subroutine newton(fu, df, x)
    procedure(fun) :: fu, df
    double precision, intent(inout) :: x
    integer :: i
    do i = 1, 20
      if (abs(fu(x)) < 1d-14) exit
      x = x - fu(x)/df(x)
    end do
  end subroutine
  subroutine rk2(n, fr, t, h, u)
    integer, intent(in) :: n
    procedure(rhs) :: fr
    double precision, intent(in) :: t, h
    double precision, intent(inout) :: u(n)
    double precision :: k1(n), k2(n)
    call fr(n, t, u, k1)
    call fr(n, t + h, u + h*k1, k2)
    u = u + 0.5d0*h*(k1 + k2)
  end subroutine
end module
module internal_passed
  use quadratures
  implicit none
contains
  subroutine f(x, y)
    double precision, intent(in) :: x(2)
    double precision, intent(out) :: y
    double precision :: c
    c = x(2)**2
    y = simpson(inner, 0d0, x(1)) + halves(inner2, x(1), x(2))
    c = c*x(1)
    y = y*simpson(inner, x(1), 1d0)
  contains
    function inner(t) result(r)
      double precision, intent(in) :: t
      double precision :: r
      r = sin(t*c) + x(1)
    end function
    function inner2(t) result(r)
      double precision, intent(in) :: t
      double precision :: r
      r = exp(t)*c
    end function
  end subroutine
  subroutine g(x, y)
    double precision, intent(in) :: x(3)
    double precision, intent(out) :: y
    double precision :: u(2)
    integer :: i, calls
    u = x(1:2)
    calls = 0
    do i = 1, 3
      call rk2(2, osc, i*0.1d0, 0.1d0, u)
    end do
    y = sum(u*u)*calls
  contains
    subroutine osc(n, t, u, du)
      integer, intent(in) :: n
      double precision, intent(in) :: t, u(n)
      double precision, intent(out) :: du(n)
      du(1) = u(2)
      du(2) = -x(3)*u(1)**3 + t
      calls = calls + 1
    end subroutine
  end subroutine
  subroutine nested(x, y)
    double precision, intent(in) :: x(2)
    double precision, intent(out) :: y
    double precision :: w
    w = x(1)
    call outer(2)
    call outer(3)
    y = w
  contains
    subroutine outer(n)
      integer, intent(in) :: n
      w = w + twice(power, x(2))*halves(power, 0d0, w)/n
    end subroutine
    function twice(fu, a) result(s)
      procedure(fun) :: fu
      double precision, intent(in) :: a
      double precision :: s
      s = fu(fu(a))*w
    end function
    function power(t) result(r)
      double precision, intent(in) :: t
      double precision :: r
      r = t*t*x(1) + w
    end function
  end subroutine
  subroutine root(c, r)
    double precision, intent(in) :: c(2)
    double precision, intent(out) :: r
    r = 1
    call newton(poly, slope, r)
  contains
    function poly(t) result(p)
      double precision, intent(in) :: t
      double precision :: p
      p = t**3 + c(1)*t - c(2)
    end function
    function slope(t) result(p)
      double precision, intent(in) :: t
      double precision :: p
      p = 3*t**2 + c(1)
    end function
  end subroutine
end module
