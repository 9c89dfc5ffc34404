! Bundle adjustment: half the sum of squared reprojection errors. A camera is a rotation vector, a translation and a focal length.
function bundle(ncamera, npoint, nobs, view, seen, feature, camera, point) result(cost)
  implicit none
  integer, intent(in) :: ncamera, npoint, nobs, view(nobs), seen(nobs)
  double precision, intent(in) :: feature(2, nobs), camera(7, ncamera), point(3, npoint)
  double precision :: cost
  integer :: k
  cost = 0
  do k = 1, nobs
    cost = cost + 0.5d0*sum((project(camera(:, view(k) + 1), point(:, seen(k) + 1)) - feature(:, k))**2)
  end do
contains
  function cross(a, b) result(c)
    double precision, intent(in) :: a(3), b(3)
    double precision :: c(3)
    c(1) = a(2)*b(3) - a(3)*b(2)
    c(2) = a(3)*b(1) - a(1)*b(3)
    c(3) = a(1)*b(2) - a(2)*b(1)
  end function cross

  function project(camera, point) result(image)
    double precision, intent(in) :: camera(7), point(3)
    double precision :: image(2), theta, axis(3), q(3)
    theta = norm2(camera(1:3))
    axis = camera(1:3)/theta
    q = cos(theta)*point + sin(theta)*cross(axis, point) + (1 - cos(theta))*dot_product(axis, point)*axis + camera(4:6)
    image = camera(7)*q(1:2)/q(3)
  end function project
end function bundle
