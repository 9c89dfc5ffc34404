! scalars and loops
! f(y)/(x)
subroutine f(n, x, y)
  integer, intent(in) :: n
  double precision, intent(in) :: x
  double precision, intent(out) :: y
  integer :: i
  y = 0
  do i = 1, n
    y = y*x + i
  end do
end subroutine
