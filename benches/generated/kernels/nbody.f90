! Gravity of n bodies with softening: half the sum of squared accelerations plus the potential energy.
function nbody(n, soft, position, mass) result(total)
  implicit none
  integer, intent(in) :: n
  double precision, intent(in) :: soft, position(3, n), mass(n)
  double precision :: total, acceleration(3, n), d(3), inverse
  integer :: i, j
  acceleration = 0
  total = 0
  do i = 1, n
    do j = i + 1, n
      d = position(:, j) - position(:, i)
      inverse = 1/sqrt(soft**2 + sum(d**2))
      total = total - mass(i)*mass(j)*inverse
      acceleration(:, i) = acceleration(:, i) + mass(j)*inverse**3*d
      acceleration(:, j) = acceleration(:, j) - mass(i)*inverse**3*d
    end do
  end do
  total = total + 0.5d0*sum(acceleration**2)
end function nbody
