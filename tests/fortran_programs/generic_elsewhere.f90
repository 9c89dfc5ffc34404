! A generic name of another module, whose specific procedures are not imported; texts of different lengths in DATA.
! head: generic_elsewhere(y)/(x)
! use: user_of_th
! args: x(3), y(3)
module tri
  implicit none
  interface th
    module procedure th_v, th_s
  end interface
contains
  subroutine th_v(a, d)
    real(8), intent(in) :: a(3)
    real(8), intent(inout) :: d(3)
    d = d*a*d
  end subroutine
  subroutine th_s(a, d)
    real(8), intent(in) :: a
    real(8), intent(inout) :: d(3)
    d = d*a
  end subroutine
end module
module user_of_th
  use tri, only: th
  implicit none
contains
  subroutine generic_elsewhere(x, y)
    real(8), intent(in) :: x(3)
    real(8), intent(out) :: y(3)
    character(8) :: name(2)
    data name/'upstream', 'it''s'/
    y = 1 + x
    call th(x, y)
    y = y*y
    if (y(1) < -100) write (*, *) name(1)
    call th(x(2), y)
    call th(x, y)
  end subroutine
end module
