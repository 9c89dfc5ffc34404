! Area of a surface over the unit square, given by heights on a grid: each cell is two triangles.
function minsurf(u) result(area)
  implicit none
  integer, parameter :: n = 64
  double precision, intent(in) :: u(n, n)
  double precision :: area, h, across(n - 1, n), along(n, n - 1)
  h = 1d0/(n - 1)
  across = (u(2:n, :) - u(1:n - 1, :))/h
  along = (u(:, 2:n) - u(:, 1:n - 1))/h
  area = 0.5d0*h**2*(sum(sqrt(1 + across(:, 1:n - 1)**2 + along(1:n - 1, :)**2)) &
         + sum(sqrt(1 + across(:, 2:n)**2 + along(2:n, :)**2)))
end function minsurf
