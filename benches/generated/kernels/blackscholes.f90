! Black-Scholes values of n calls and puts.
subroutine blackscholes(n, call, strike, spot, sigma, maturity, rate, value)
  implicit none
  integer, intent(in) :: n, call(n)
  double precision, intent(in) :: strike(n), spot(n), sigma(n), maturity(n), rate
  double precision, intent(out) :: value(n)
  double precision :: deviation(n), d1(n), d2(n), discounted(n)
  deviation = sigma*sqrt(maturity)
  d1 = (log(spot/strike) + (rate + 0.5d0*sigma**2)*maturity)/deviation
  d2 = d1 - deviation
  discounted = strike*exp(-rate*maturity)
  where (call /= 0)
    value = spot*normal(d1) - discounted*normal(d2)
  elsewhere
    value = discounted*normal(-d2) - spot*normal(-d1)
  end where
contains
  elemental double precision function normal(z)
    double precision, intent(in) :: z
    normal = 0.5d0*erfc(-z/sqrt(2d0))
  end function normal
end subroutine blackscholes
