! A generic name whose specific procedures are private to their module.
! head: f(y)/(x,a)
! use: measured
! args: x(3), a(2,2), y
module norms
  implicit none
  private
  public :: norm
  real(8) :: weight = 0.5d0
  interface norm
    module procedure norm1, norm2
  end interface
contains
  function norm1(v) result(r)
    real(8), intent(in) :: v(:)
    real(8) :: r
    r = sqrt(weight * sum(v*v))
  end function
  function norm2(a) result(r)
    real(8), intent(in) :: a(:,:)
    real(8) :: r
    r = sum(a*a) + twice(a(1,1))
  end function
  function twice(b) result(r)
    real(8), intent(in) :: b
    real(8) :: r
    r = 2*b*b
  end function
end module norms
module measured
  use norms, only: norm
  implicit none
contains
  subroutine f(x, a, y)
    real(8), intent(in) :: x(3), a(2,2)
    real(8), intent(out) :: y
    y = norm(x) * norm(a) + norm(a)
  end subroutine
end module measured
