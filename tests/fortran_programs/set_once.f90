! Variables that keep their values between calls and are set at the first one.
! head: chain(y)/(x)
! args: n=4, x(4), y
module tables
  implicit none
contains
  subroutine complain(text)
    character(len=*), intent(in) :: text
    character(len=8), save :: last = ' '
    integer, save :: told = 0
    told = told + 1
    if (told < 3 .and. last /= text) print *, text
    last = text
  end subroutine complain

  integer function terms(tolerance)
    real(8), intent(in) :: tolerance
    terms = 3
    if (tolerance > 1) call complain('loose')
  end function terms

  subroutine step(x, y)
    real(8), intent(in) :: x
    real(8), intent(inout) :: y
    logical, save :: first = .true.
    integer, save :: calls = 0, n
    real(8), save :: scale, weights(3)
    real(8) :: t
    integer :: i
    if (first) then
      scale = sqrt(2.0d0)
      n = terms(0.5d0)
      t = 1
      do i = 1, n
        t = t*scale
        weights(i) = t
      end do
    end if
    first = .false.
    calls = calls + 1
    if (x > 100) call complain('large')
    do i = 1, n
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
