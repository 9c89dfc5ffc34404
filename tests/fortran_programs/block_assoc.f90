! DO CONCURRENT, several statements on a line, long continuation lines, old operators.
! head: f(y)/(x)
! args: n=4, x(4), y(4)
subroutine f(n, x, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(n)
  integer :: i; real(8) :: t
  t = 0; do i = 1, n; t = t + x(i); end do
  do i = 1, n
    y(i) = x(i)*t &   ! first
      ! a comment in between
         + x(n + 1 - i) &
      &  *sin(t)
    if (i .ge. 2 .and. .not. (x(i) .lt. 0.2d0) .or. i .eq. n) y(i) = y(i) - t
  end do
end subroutine f
