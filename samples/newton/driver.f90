! Derivatives of a root, against the implicit function theorem: dx/dp = -x/(3x**2 + p), dx/dq = 1/(3x**2 + p).
program driver
  use newton_solver
  implicit none
  double precision :: x, p, q, pb, qb, dp, dq
  integer :: i

  do i = 1, 6
    p = 0.5d0*i
    q = 1d0 + 7d0*i**3
    x = root(p, q)
    pb = 0
    qb = 0
    call root_b(p, pb, q, qb, 1d0)
    dp = root_d(p, 1d0, q, 0d0, x)
    dq = root_d(p, 0d0, q, 1d0, x)
    print '(a,f10.6,4(a,es13.6))', 'x ', x, '  adjoint ', pb, ' ', qb, '  tangent ', dp, ' ', dq
    if (abs(pb + x/(3*x**2 + p)) > 1d-10 .or. abs(qb - 1/(3*x**2 + p)) > 1d-10) stop 1
    if (abs(pb - dp) > 1d-14 .or. abs(qb - dq) > 1d-14) stop 1
  end do
end program driver
