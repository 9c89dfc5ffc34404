! Positions on orbits: Kepler's equation for the eccentric anomaly by six Newton steps, then coordinates.
subroutine newton(n, mean, eccentricity, x, y)
  implicit none
  integer, intent(in) :: n
  double precision, intent(in) :: mean(n), eccentricity(n)
  double precision, intent(out) :: x(n), y(n)
  double precision :: anomaly(n)
  integer :: k
  anomaly = mean + eccentricity*sin(mean)
  do k = 1, 6
    anomaly = anomaly - (anomaly - eccentricity*sin(anomaly) - mean)/(1 - eccentricity*cos(anomaly))
  end do
  x = cos(anomaly) - eccentricity
  y = sqrt(1 - eccentricity**2)*sin(anomaly)
end subroutine newton
