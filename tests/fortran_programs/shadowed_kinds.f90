! Constants of a procedure with the names of others in its module, which spell kinds and the bounds of components.
! head: shadowed_kinds(y)/(x)
! use: shadowing
! args: n=3, x(3), y(3)
module shadowing
  implicit none
  integer, parameter :: wp = kind(1.0), m = 1
contains
  subroutine shadowed_kinds(n, x, y)
    integer, intent(in) :: n
    double precision, intent(in) :: x(n)
    double precision, intent(out) :: y(n)
    integer, parameter :: wp = kind(1d0), m = 4
    type t
      real(wp) :: a(m) = 0.5_wp, b
    end type t
    type(t) :: v
    real(wp) :: w
    integer :: i
    v%b = x(1)
    w = 1.1_wp
    do i = 1, n
      v%a(i + 1) = v%a(i)*x(i) + v%b
      v%b = sin(v%b)*v%a(m)
      w = w*v%a(i + 1)
      y(i) = w*v%a(m) + v%b
    end do
  end subroutine
end module
