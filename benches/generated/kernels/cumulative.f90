! Present values of payments along paths of rates: discount factors are running products, accruals running sums.
function cumulative(paths, n, dt, notional, rate) result(mean)
  implicit none
  integer, intent(in) :: paths, n
  double precision, intent(in) :: dt, notional(n), rate(n, paths)
  double precision :: mean, factor(0:n), accrued(0:n)
  integer :: p, i
  mean = 0
  do p = 1, paths
    factor(0) = 1
    accrued(0) = 0
    do i = 1, n
      factor(i) = factor(i - 1)/(1 + dt*rate(i, p))
      accrued(i) = accrued(i - 1) + dt*rate(i, p)
    end do
    mean = mean + sum(notional*factor(1:n)*(1 + accrued(1:n)**2))
  end do
  mean = mean/paths
end function cumulative
