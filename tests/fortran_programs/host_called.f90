! A host of internal procedures that others call: its calls are reversed jointly, whatever is asked for.
! head: host_called(y)/(x)
! args: n=5, x(5), y
subroutine host_called(n, x, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y
  real(8) :: z
  call smoothed(n, x, z)
  z = z*x(2)
  call smoothed(n, x, y)
  y = y*z
end subroutine
subroutine smoothed(n, x, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y
  real(8) :: t(n)
  integer :: k
  t = x
  y = 0
  do k = 1, 3
    call smooth()
    y = y + t(1)*t(n)
  end do
contains
  subroutine smooth()
    integer :: i
    do i = 2, n - 1
      t(i) = t(i) + 0.1d0*(t(i - 1) - 2*t(i) + t(i + 1))*t(i)
    end do
    t(1) = t(1)*t(2)
  end subroutine
end subroutine
