! Neighbours in small powers: the adjoint gathers them.
! head: squared_differences(y)/(x)
! args: n=6, x(6), y
subroutine squared_differences(n, x, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y
  integer :: i
  y = 0
  do i = 1, n - 1
    y = y + (x(i + 1) - x(i)**2)**2 + (1 - x(i))**3
  end do
end subroutine
