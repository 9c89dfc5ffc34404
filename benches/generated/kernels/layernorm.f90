! Rows are brought to mean zero and variance one, scaled and shifted, then pass a smooth rectifier.
subroutine layernorm(rows, n, gain, shift, x, y)
  implicit none
  integer, intent(in) :: rows, n
  double precision, intent(in) :: gain(n), shift(n), x(n, rows)
  double precision, intent(out) :: y(n, rows)
  double precision :: centred(n)
  integer :: r
  do r = 1, rows
    centred = x(:, r) - sum(x(:, r))/n
    y(:, r) = silu(gain*centred/sqrt(sum(centred**2)/n + 1d-5) + shift)
  end do
contains
  elemental double precision function silu(z)
    double precision, intent(in) :: z
    silu = z/(1 + exp(-z))
  end function silu
end subroutine layernorm
