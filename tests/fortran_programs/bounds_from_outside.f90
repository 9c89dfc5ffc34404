! Bounds that only declarations read: variables of a module and of the host, changed between calls.
! head: bounds_from_outside(y)/(x)
! args: x(4), y
module outside_bounds
  implicit none
  integer :: length = 4
contains
  subroutine squares(u, z)
    real(8), intent(in) :: u(length)
    real(8), intent(inout) :: z
    z = z + sum(u*u)
  end subroutine
end module
subroutine bounds_from_outside(x, y)
  use outside_bounds
  implicit none
  real(8), intent(in) :: x(4)
  real(8), intent(out) :: y
  integer :: n
  y = x(1)
  length = 4
  call squares(x, y)
  y = y*y
  length = 3
  call squares(x, y)
  length = 2
  n = 4
  call inner(x, y)
  n = 2
  call inner(x, y)
  n = 1
contains
  subroutine inner(u, z)
    real(8), intent(in) :: u(n)
    real(8), intent(inout) :: z
    real(8) :: w(n)
    w = u(1:size(w))*z
    z = sum(w*w)
  end subroutine
end subroutine
