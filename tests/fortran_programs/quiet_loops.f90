! Bounds of loops that constants give: no quotient that compilers tell of, no subscript that would be outside.
! head: f(y)/(x)
! args: x(8), y
! head: g(y)/(x)
! args: x(4), y(4)
! head: h(y)/(x)
! args: x(4), y(2,4)
subroutine f(x, y)
  implicit none
  real(8), intent(in) :: x(8)
  real(8), intent(out) :: y
  real(8) :: v(8)
  v = x**2
  v(::3) = sin(v(::3))*v(2)
  y = sum(v(::3)**2)
end subroutine f
subroutine g(x, y)
  implicit none
  real(8), intent(in) :: x(4)
  real(8), intent(out) :: y(4)
  real(8) :: c(4)
  c = x**2
  c = eoshift(c, 1)*c + eoshift(c, -2)
  c(1:4:3) = c(2:3)
  y = c*c + eoshift(c, 5)
end subroutine g
subroutine h(x, y)
  implicit none
  real(8), intent(in) :: x(4)
  real(8), intent(out) :: y(2,4)
  real(8) :: a(2,4)
  integer :: n
  a(1, :) = x
  a(2, :) = x**2
  n = -1
  y = eoshift(a, -1, dim=2)*a + eoshift(a, n, dim=2, boundary=2d0) + eoshift(a, 1, boundary=x(1))
end subroutine h
