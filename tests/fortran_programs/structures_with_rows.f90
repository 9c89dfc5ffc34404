! An array of structures with an array inside is passed, copied and set to zero as a whole.
! head: total(y)/(x)
! use: rows
! args: x(2), y
module rows
  implicit none
  type row
    real(8) :: v(2)
    real(8) :: w
  end type
contains
  subroutine doubled(a)
    type(row), intent(inout) :: a(:)
    integer :: i
    do i = 1, size(a)
      a(i)%v(1) = a(i)%v(1)*a(i)%v(2)
      a(i)%w = a(i)%w + sin(a(i)%v(1))
    end do
  end subroutine
  subroutine total(x, y)
    real(8), intent(in) :: x(2)
    real(8), intent(out) :: y
    type(row) :: a(2)
    a(1)%v = x
    a(2)%v = x*x
    a(1)%w = x(1)
    a(2)%w = 0.5d0
    call doubled(a)
    call doubled(a)
    y = a(1)%v(1)*a(2)%w + a(2)%v(1)*a(1)%w
  end subroutine
end module
