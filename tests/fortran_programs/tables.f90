! Interpolation in PARAMETER tables, with a module function in a subscript and in a condition.
! head: lookup(y)/(x)
! use: tab
! args: n=4, x(4)=[0.2d0,1.4d0,2.7d0,9d0], y(4)
module tab
  implicit none
  integer, parameter :: m = 4
  real(8), parameter :: gx(0:m) = [0d0, 1d0, 2d0, 3d0, 4d0], gy(0:m) = (/ 1d0, 3d0, 2d0, 5d0, 4d0 /)
contains
  pure integer function cell(v)
    real(8), intent(in) :: v
    cell = min(max(int(v), 0), m - 1)
  end function cell
  logical function inside(v)
    real(8), intent(in) :: v
    inside = v >= gx(0) .and. v <= gx(m)
  end function inside
  subroutine lookup(n, x, y)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8), intent(out) :: y(n)
    integer :: i
    real(8) :: w
    do i = 1, n
      if (.not. inside(x(i))) then
        y(i) = x(i)**2
        cycle
      end if
      w = x(i) - gx(cell(x(i)))
      y(i) = gy(cell(x(i)))*(1 - w) + gy(cell(x(i)) + 1)*w*w
    end do
  end subroutine lookup
end module tab
