! Array constructors, whole-array functions of arrays, DIM arguments.
! head: f(y)/(x)
! args: x(3), y(3)
subroutine f(x, y)
  implicit none
  real(8), intent(in) :: x(3)
  real(8), intent(out) :: y(3)
  real(8) :: m(3, 3), r(3)
  integer :: i
  r = [x(1)*x(2), sin(x(3)), 1d0]
  do i = 1, 3
    m(:, i) = r*x(i)
  end do
  y = m(1, :) + m(:, 2)*r
  y = y + exp(-abs(m(:, 2)))
  y(1:2) = [y(2), y(1)]
end subroutine f
