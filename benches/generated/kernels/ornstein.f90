! Negative log-likelihood of an Ornstein-Uhlenbeck path seen at uneven times.
function ornstein(n, when, x, theta, mu, sigma) result(cost)
  implicit none
  integer, intent(in) :: n
  double precision, intent(in) :: when(n), x(n), theta, mu, sigma
  double precision :: cost
  double precision, dimension(n - 1) :: decay, variance, e
  decay = exp(-theta*(when(2:n) - when(1:n - 1)))
  variance = sigma**2*(1 - decay**2)/(2*theta)
  e = x(2:n) - (mu + (x(1:n - 1) - mu)*decay)
  cost = 0.5d0*sum(log(6.283185307179586d0*variance) + e**2/variance)
end function ornstein
