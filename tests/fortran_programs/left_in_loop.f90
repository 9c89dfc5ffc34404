! head: f(y)/(x)
! args: n=4, x(4), y
! A work array of each round, and returns that leave it allocated.
subroutine f(n, x, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y
  real(8), allocatable :: t(:)
  integer :: i
  y = 0.5d0
  do i = 1, n
    allocate (t(n))
    t = x*y
    y = y + t(i)*t(1)
    if (y > 1000) return
    t(1) = sin(y)*t(2)
    if (i == n - 1) then
      y = y*t(1)
      return
    end if
    deallocate (t)
  end do
end subroutine
