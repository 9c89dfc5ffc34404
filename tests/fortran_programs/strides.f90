! A step whose length is another variable, which the caller changes between two calls.
! head: strides(y)/(x)
! args: x(9), y
subroutine strides(x, y)
  implicit none
  real(8), intent(in) :: x(9)
  real(8), intent(out) :: y
  integer :: m
  y = 1
  m = 2
  call walk(m, x, y)
  m = 1
  call walk(m, x, y)
end subroutine strides

subroutine walk(m, x, y)
  implicit none
  integer, intent(in) :: m
  real(8), intent(in) :: x(9)
  real(8), intent(inout) :: y
  integer :: i, k
  k = 1
  do i = 1, 4
    y = y*x(k)
    if (x(k) > 0) k = k + m
  end do
end subroutine walk
