! Moving averages and exponential smoothing with a window that is cut at the ends.
! head: smooth(m,e,best)/(x,alpha)
! args: n=7, w=2, x(7), alpha, m(7), e(7), best
subroutine smooth(n, w, x, alpha, m, e, best)
  implicit none
  integer, intent(in) :: n, w
  real(8), intent(in) :: x(n), alpha
  real(8), intent(out) :: m(n), e(n), best
  integer :: i, lo, hi
  e(1) = x(1)
  do i = 1, n
    lo = max(1, i - w)
    hi = min(n, i + w)
    m(i) = sum(x(lo:hi))/(hi - lo + 1)
    if (i > 1) e(i) = alpha*x(i) + (1 - alpha)*e(i-1)
  end do
  best = maxval(m - e)
end subroutine smooth
