! Log-likelihood of n points under a mixture of k Gaussians with diagonal covariances. The weights are the softmax of alpha.
function mixture(n, d, k, x, alpha, mean, logsd) result(likelihood)
  implicit none
  integer, intent(in) :: n, d, k
  double precision, intent(in) :: x(d, n), alpha(k), mean(d, k), logsd(d, k)
  double precision :: likelihood
  double precision :: inverse(d, k), base(k), term(k)
  integer :: i, c
  inverse = exp(-logsd)
  base = alpha - sum(logsd, dim=1)
  likelihood = 0
  do i = 1, n
    do c = 1, k
      term(c) = base(c) - 0.5d0*sum(((x(:, i) - mean(:, c))*inverse(:, c))**2)
    end do
    likelihood = likelihood + logsumexp(term)
  end do
  likelihood = likelihood - n*(logsumexp(alpha) + 0.5d0*d*log(6.283185307179586d0))
contains
  double precision function logsumexp(v)
    double precision, intent(in) :: v(:)
    double precision :: most
    most = maxval(v)
    logsumexp = most + log(sum(exp(v - most)))
  end function logsumexp
end function mixture
