! Extents and bounds of a kind.
! head: extents(y)/(x)
! args: n=3, x, t(3), y
! head: extents_low(y)/(x)
! args: n=3, x, t(3), y
subroutine extents(n, x, t, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x, t(n)
  real(8), intent(out) :: y
  real(8) :: c(3) = [0.5d0, -1.25d0, 2.0d0]
  integer(8) :: last
  last = size(t, kind=8)
  y = 0
  if (x < 1d3) then
    y = c(1)*x + c(2)*x**3
  end if
  y = y + c(3)*sin(x)*t(size(t, kind=4)) + t(last)*x
end subroutine
subroutine extents_low(n, x, t, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x, t(n)
  real(8), intent(out) :: y
  y = x**ubound(t, 1, kind=4)*t(lbound(t, dim=1, kind=8))
end subroutine
