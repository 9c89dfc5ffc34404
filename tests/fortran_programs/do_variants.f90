! DO with negative and computed strides, zero trips, changed bounds, DO without bounds, loop variable used behind.
! head: f(y)/(x)
! args: n=5, x(5), y
subroutine f(n, x, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y
  integer :: i, k, m
  y = 1
  do i = n, 1, -2
    y = y*x(i) + x(1)
  end do
  do i = 3, 2
    y = y*100
  end do
  m = 2
  do i = 1, m
    m = 5
    y = y + x(i)*y
  end do
  y = y*x(i)
  k = 1
  do
    k = k*2
    if (k > n) exit
    if (k == 2) cycle
    y = y + x(k)**2
  end do
  do i = 1, n, m - 3
    y = sqrt(y*y + x(i))
  end do
  do while (y < 40)
    y = y*2*x(2) + y
  end do
end subroutine f
