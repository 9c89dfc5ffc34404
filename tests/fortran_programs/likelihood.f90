! A log likelihood with optional arguments, keyword calls, generic names, early exits.
! head: loglik(ll)/(theta)
! use: inference
! args: theta(4), n=5, y(5), w(5), ll
module inference
  implicit none
  integer, parameter :: dp = selected_real_kind(15)
  real(dp), parameter :: log2pi = log(2*acos(-1.0_dp))
  interface logpdf
    module procedure normal_lpdf, gamma_lpdf
  end interface logpdf
contains
  pure function normal_lpdf(x, mu, sigma) result(lp)
    real(dp), intent(in) :: x, mu
    real(dp), intent(in), optional :: sigma
    real(dp) :: lp, s
    s = 1.0_dp
    if (present(sigma)) s = sigma
    lp = -0.5_dp*(log2pi + ((x - mu)/s)**2) - log(s)
  end function normal_lpdf
  pure function gamma_lpdf(x, shape, rate, shift) result(lp)
    real(dp), intent(in) :: x, shape, rate, shift
    real(dp) :: lp
    lp = shape*log(rate) - log_gamma(shape) + (shape - 1)*log(x - shift) - rate*(x - shift)
  end function gamma_lpdf
  pure real(dp) function logsumexp(a)
    real(dp), intent(in) :: a(:)
    real(dp) :: m
    m = maxval(a)
    logsumexp = m + log(sum(exp(a - m)))
  end function logsumexp
  subroutine loglik(theta, n, y, w, ll)
    real(dp), intent(in) :: theta(4)
    integer, intent(in) :: n
    real(dp), intent(in) :: y(n), w(n)
    real(dp), intent(out) :: ll
    real(dp) :: comp(2), mu
    integer :: i
    ll = logpdf(theta(1), mu=0.0_dp) + logpdf(theta(2), 0.0_dp, sigma=10.0_dp)
    if (theta(3) <= 0) then
      ll = -huge(1.0_dp)
      return
    end if
    ll = ll + logpdf(theta(3), 2.0_dp, 1.5_dp, shift=0.0_dp)
    do i = 1, n
      if (w(i) < 0.31_dp) cycle
      mu = theta(1) + theta(2)*y(i)
      comp = [log(0.7_dp) + normal_lpdf(x=y(i), mu=mu, sigma=theta(3)), &
              log(0.3_dp) + normal_lpdf(y(i), theta(4))]
      ll = ll + w(i)*logsumexp(comp)
    end do
  end subroutine loglik
end module inference
