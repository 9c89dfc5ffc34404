subroutine decay(n, x, rate, y)
  use constants, only: half
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n), rate
  real(8), intent(out) :: y
  integer :: i
  y = 0
  do i = 1, n
    y = y + half*x(i)*exp(-rate*i)
  end do
end subroutine decay
