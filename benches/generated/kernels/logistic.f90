! Logistic regression: mean log-loss over n samples, with a quadratic penalty.
function logistic(n, d, penalty, x, label, weight, bias) result(loss)
  implicit none
  integer, intent(in) :: n, d, label(n)
  double precision, intent(in) :: penalty, x(d, n), weight(d), bias
  double precision :: loss, score(n)
  score = matmul(weight, x) + bias
  where (label /= 0) score = -score
  loss = sum(softplus(score))/n + 0.5d0*penalty*sum(weight**2)
contains
  elemental double precision function softplus(z)
    double precision, intent(in) :: z
    softplus = max(z, 0d0) + log(1 + exp(-abs(z)))
  end function softplus
end function logistic
