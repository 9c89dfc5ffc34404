! head: f(y)/(x)
! args: n=4, x(4), y
! Work arrays that are allocated in each round of a loop, and that an exit leaves allocated.
subroutine f(n, x, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y
  real(8), allocatable :: t(:)
  integer :: i, j
  y = 0.5d0
  do i = 1, n
    allocate (t(n))
    do j = 1, n
      t(j) = x(j)*y
    end do
    y = y + t(i)*t(1)
    if (i == n - 1) exit
    deallocate (t)
  end do
  y = y*t(2)
  if (n < 3) then
    i = 0
    deallocate (t)
    goto 20
  end if
  i = 0
10 continue
  if (i > 0) deallocate (t)
  if (i == 0) deallocate (t)
  allocate (t(n))
  t = sin(y)
  i = i + 1
  y = y + t(2)*x(i)
  if (i < 3) goto 10
20 continue
  if (i > 2) return
  y = y*2
end subroutine
