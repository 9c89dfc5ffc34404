! Lotka-Volterra populations by the Adams-Bashforth method of third order, started with Euler steps; the time integral of squared predators.
function adams(steps, h, growth, eaten, death, fed, start) result(integral)
  implicit none
  integer, intent(in) :: steps
  double precision, intent(in) :: h, growth, eaten, death, fed, start(2)
  double precision :: integral, s(2), rate(2, 3)
  integer :: t
  s = start
  rate = 0
  integral = 0
  do t = 1, steps
    rate(:, 2:3) = rate(:, 1:2)
    rate(:, 1) = [s(1)*(growth - eaten*s(2)), s(2)*(fed*s(1) - death)]
    if (t <= 2) then
      s = s + h*rate(:, 1)
    else
      s = s + h/12*matmul(rate, [23d0, -16d0, 5d0])
    end if
    integral = integral + h*s(2)**2
  end do
end function adams
