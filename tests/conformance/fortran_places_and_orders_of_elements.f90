! `maxloc`, `findloc`, `reshape`, `pack` with all arguments
! f(y)/(x)
subroutine f(x, y)
  double precision, intent(in) :: x(6)
  double precision, intent(out) :: y(4)
  double precision :: a(2, 3)
  integer :: k(3)
  a = reshape(x(1:4), [2, 3], pad=[x(5)], order=[2, 1])
  k = maxloc(a, dim=1, mask=a < 10)
  y = pack(x*x, x > 0.5d0, x(1:4))
  y(1) = y(1)*a(max(k(1), 1), 1)*x(max(findloc(k, 2, dim=1), 1))
end subroutine
