! Text whose length comes with its value is recorded with it, and before it has any.
! head: f(y)/(x)
! use: texts
! args: x(3), y
! head: g(y)/(x)
! use: texts
! args: x(3), y
module texts
  implicit none
contains
  subroutine f(x, y)
    real(8), intent(in) :: x(3)
    real(8), intent(out) :: y
    character(len=4) :: s
    integer :: i
    y = 1
    s = '1321'
    do i = 1, 4
      y = y*square(x(ichar(s(i:i)) - 48))
    end do
  end subroutine f
  real(8) function square(a)
    real(8), intent(in) :: a
    square = a*a
  end function square
  subroutine g(x, y)
    real(8), intent(in) :: x(3)
    real(8), intent(out) :: y
    character(len=:), allocatable :: t
    integer :: i
    y = 1
    do i = 1, 3
      t = repeat('b', i)
      y = y*square(x(len(t)))*y
      if (y > 0.5d0 .and. i == 2) t = 'a'
      y = y + sin(y)*x(len(t))
    end do
  end subroutine g
end module texts
