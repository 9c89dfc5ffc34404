! A kind that only declarations name.
! head: f(y)/(x)
! args: x(2), y
subroutine f(x, y)
  implicit none
  integer, parameter :: dp = kind(1d0)
  real(dp), intent(in) :: x(2)
  real(kind=dp), intent(out) :: y
  y = x(1)*x(2)
end subroutine f
