! A constant of a type that the procedure defines for itself.
! head: typed_constant(y)/(x)
! args: n=4, x(4), y(4)
subroutine typed_constant(n, x, y)
  implicit none
  integer, parameter :: dp = kind(1d0)
  integer, intent(in) :: n
  real(dp), intent(in) :: x(n)
  real(dp), intent(out) :: y(n)
  type :: gas
    real(dp) :: gamma = 1.4_dp
    real(dp) :: r
  end type gas
  type(gas), parameter :: air = gas(r=0.287_dp)
  integer :: i
  do i = 1, n
    y(i) = x(i)**air%gamma*sin(air%r*x(i))
  end do
end subroutine typed_constant
