! Quadruple precision.
! head: f(y)/(x)
! kind: 16
! args: n=3, x(3), y(3)
subroutine f(n, x, y)
  implicit none
  integer, intent(in) :: n
  real(16), intent(in) :: x(n)
  real(16), intent(out) :: y(n)
  integer :: i
  real(kind=16) :: t
  t = 1.0_16
  do i = 1, n
    t = t*exp(-x(i)) + 0.1_16
    y(i) = sin(t)/x(i)
    t = t*y(i)
  end do
end subroutine f
