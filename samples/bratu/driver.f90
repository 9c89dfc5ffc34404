! The 7 x 9 Jacobian of the Bratu residual with respect to x and prm, row by row with the adjoint and column by column with the tangent, at
! x(i) = i*(8 - i)/16 (symmetric about the middle), prm = (1.3, 0.25), against the exact one.
program driver
  implicit none
  integer, parameter :: n = 7
  double precision :: x(n), prm(2), f(n), xd(n), prmd(2), fd(n), xb(n), prmb(2), fb(n)
  double precision :: exact(n, n + 2), adjoint(n, n + 2), tangent(n, n + 2), h, g, e, w, q
  integer :: i, j

  x = [(i*(8 - i)/16d0, i=1, n)]
  prm = [1.3d0, 0.25d0]

  ! f = A x + h*h*prm(1)*B e, e(i) = exp(x(i)/(1 + prm(2)*x(i))), with tridiagonal A and B, and a constant at both ends
  h = 2d0/(n + 1)
  g = h*h*prm(1)
  exact = 0
  do j = 1, n
    q = 1 + prm(2)*x(j)
    e = exp(x(j)/q)
    do i = max(1, j - 1), min(n, j + 1)
      w = merge(10d0, 1d0, i == j)/12
      exact(i, j) = merge(-2d0, 1d0, i == j) + g*w*e/q**2
      exact(i, n + 1) = exact(i, n + 1) + h*h*w*e
      exact(i, n + 2) = exact(i, n + 2) - g*w*e*(x(j)/q)**2
    end do
  end do
  exact(1, n + 1) = exact(1, n + 1) + h*h/12
  exact(n, n + 1) = exact(n, n + 1) + h*h/12

  do i = 1, n
    xb = 0
    prmb = 0
    fb = 0
    fb(i) = 1
    call bratu_b(n, x, xb, prm, prmb, f, fb)
    adjoint(i, :) = [xb, prmb]
    if (any(fb /= 0)) stop 1
  end do
  do j = 1, n + 2
    xd = 0
    prmd = 0
    if (j <= n) xd(j) = 1
    if (j > n) prmd(j - n) = 1
    call bratu_d(n, x, xd, prm, prmd, f, fd)
    tangent(:, j) = fd
  end do
  print '(9f7.2)', transpose(adjoint)
  if (any(abs(adjoint - exact) > 1d-14)) stop 1
  if (any(abs(tangent - exact) > 1d-14)) stop 1
end program driver
