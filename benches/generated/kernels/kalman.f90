! Negative log-likelihood of a track by a Kalman filter with the states position and velocity; positions are seen.
function kalman(n, dt, seen, q, r, drag) result(cost)
  implicit none
  integer, intent(in) :: n
  double precision, intent(in) :: dt, seen(n), q, r, drag
  double precision :: cost, x(2), p(2, 2), f(2, 2), noise(2, 2), gain(2), s, innovation
  integer :: t, j
  f = reshape([1d0, 0d0, dt, 1 - drag*dt], [2, 2])
  noise = q*reshape([dt**3/3, dt**2/2, dt**2/2, dt], [2, 2])
  x = 0
  p = reshape([1d0, 0d0, 0d0, 1d0], [2, 2])
  cost = 0
  do t = 1, n
    x = matmul(f, x)
    p = matmul(matmul(f, p), transpose(f)) + noise
    s = p(1, 1) + r
    innovation = seen(t) - x(1)
    gain = p(:, 1)/s
    x = x + gain*innovation
    do j = 2, 1, -1
      p(:, j) = p(:, j) - gain*p(1, j)
    end do
    cost = cost + 0.5d0*(log(s) + innovation**2/s)
  end do
end function kalman
