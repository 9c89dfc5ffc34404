! Variables that keep their values between calls and are set at the first one.
! head: chain(y)/(x)
! args: n=4, x(4), y
module tables
  implicit none
contains
  subroutine step(x, y)
    real(8), intent(in) :: x
    real(8), intent(inout) :: y
    logical, save :: first = .true.
    integer, save :: calls = 0
    real(8), save :: scale, weights(3)
    real(8) :: t
    integer :: i
    if (first) then
      scale = sqrt(2.0d0)
      t = 1
      do i = 1, 3
        t = t*scale
        weights(i) = t
      end do
    end if
    first = .false.
    calls = calls + 1
    do i = 1, 3
      y = y*sin(x*weights(i)) + scale*x
    end do
  end subroutine step
end module tables

subroutine chain(n, x, y)
  use tables
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y
  integer :: i
  y = 1
  do i = 1, n
    call step(x(i), y)
    y = y*tenth(y)
  end do
contains
  real(8) function tenth(z)
    real(8), intent(in) :: z
    real(8), save :: factor = 0
    if (factor == 0) factor = 0.1d0
    tenth = factor*cos(z)
  end function tenth
end subroutine chain
