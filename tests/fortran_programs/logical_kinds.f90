! Conditions of other kinds than the default, recorded in loops of unknown length.
! head: differing(y)/(x)
! use: logical_kinds
! args: n=5, x(5), y
module logical_kinds
  use, intrinsic :: iso_c_binding, only: c_bool
  implicit none
contains
  elemental logical(c_bool) function differ(a, b)
    real(8), intent(in) :: a, b
    differ = abs(a - b) > 0.3d0
  end function
  subroutine differing(n, x, y)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8), intent(out) :: y
    integer :: i, j
    y = 0
    do i = 2, n
      do j = 1, i - 1
        if (differ(x(i), x(j))) then
          y = sin(y) + x(i)*x(j)
        else if (differ(y, x(j))) then
          y = y*x(j) + x(i)
        end if
      end do
    end do
  end subroutine
end module
