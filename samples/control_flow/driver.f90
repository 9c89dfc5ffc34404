! The 3 x 2 Jacobian by tangent and adjoint, against the exact one.
program driver
  implicit none
  double precision :: x(2), y(3), xd(2), yd(3), xb(2), yb(3), exact(3, 2), adjoint(3, 2), tangent(3, 2)
  integer :: i

  x = [0.7d0, 1.9d0]
  exact(1, :) = [0d0, -sin(x(2))]
  exact(2, :) = [cos(x(1)), 0d0]
  exact(3, :) = [cos(x(1))*cos(x(2)), -sin(x(1))*sin(x(2))]
  do i = 1, 3
    xb = 0
    yb = 0
    yb(i) = 1
    call example_b(x, xb, y, yb)
    adjoint(i, :) = xb
    if (any(yb /= 0)) stop 1
  end do
  do i = 1, 2
    xd = 0
    xd(i) = 1
    call example_d(x, xd, y, yd)
    tangent(:, i) = yd
  end do
  print '(2f20.15)', transpose(adjoint)
  if (any(abs(adjoint - exact) > 1d-15) .or. any(abs(tangent - exact) > 1d-15)) stop 1
end program driver
