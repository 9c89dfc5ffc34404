! Mean of z over a path of the Lorenz system, by steps of the midpoint rule (Runge-Kutta of second order).
function lorenz(steps, h, sigma, rho, beta, start) result(mean)
  implicit none
  integer, intent(in) :: steps
  double precision, intent(in) :: h, sigma, rho, beta, start(3)
  double precision :: mean, s(3)
  integer :: t
  s = start
  mean = 0
  do t = 1, steps
    s = s + h*rate(s + 0.5d0*h*rate(s))
    mean = mean + s(3)
  end do
  mean = mean/steps
contains
  pure function rate(s) result(r)
    double precision, intent(in) :: s(3)
    double precision :: r(3)
    r = [sigma*(s(2) - s(1)), s(1)*(rho - s(3)) - s(2), s(1)*s(2) - beta*s(3)]
  end function rate
end function lorenz
