! structures that functions and operators return
! f(y)/(x)
module m
  type t
    double precision :: a, b
  end type
  interface operator(+)
    module procedure sum_of
  end interface
contains
  function sum_of(p, q) result(r)
    type(t), intent(in) :: p, q
    type(t) :: r
    r = t(p%a + q%a, p%b*q%b)
  end function
  subroutine f(x, y)
    double precision, intent(in) :: x
    double precision, intent(out) :: y
    type(t) :: p, q
    p = t(x, x*x)
    q = t(2*x, 3d0)
    p = sum_of(p, q + p)
    y = p%a*p%b
  end subroutine
end module
