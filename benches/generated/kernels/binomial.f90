! American put on a binomial tree (Cox, Ross, Rubinstein) of n steps.
function binomial(n, maturity, spot, strike, sigma, rate) result(premium)
  implicit none
  integer, intent(in) :: n
  double precision, intent(in) :: maturity, spot, strike, sigma, rate
  double precision :: premium, value(0:n), price(0:n), dt, up, down, discount, p
  integer :: t, j
  dt = maturity/n
  up = exp(sigma*sqrt(dt))
  down = 1/up
  discount = exp(-rate*dt)
  p = (exp(rate*dt) - down)/(up - down)
  do j = 0, n
    price(j) = spot*up**(2*j - n)
  end do
  value = max(strike - price, 0d0)
  do t = n - 1, 0, -1
    price(0:t) = price(0:t)*up
    value(0:t) = max(discount*(p*value(1:t + 1) + (1 - p)*value(0:t)), strike - price(0:t))
  end do
  premium = value(0)
end function binomial
