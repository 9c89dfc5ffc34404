! Tangent against complex step, adjoint against the tangent (dot-product identity to rounding), on a small closed mesh.
! Head: FLW2D1COL(rh3,rh4,sq)/(t3,pres,vnocl,g3,g4,rh3,rh4,sq)
program driver
  implicit none
  integer, parameter :: ns = 6, nseg = 9, dp = kind(1d0)
  integer :: nubo(2, nseg), i
  real(dp), dimension(ns) :: t3, g3, g4, rh3, rh4, pres, t3d, g3d, g4d, rh3d, rh4d, presd, t3b, g3b, g4b, rh3b, rh4b, presb
  real(dp), dimension(ns) :: rh3in, rh4in, rh3ind, rh4ind, w3, w4
  real(dp), dimension(2, nseg) :: vnocl, vnocld, vnoclb
  complex(dp), dimension(ns) :: zrh3, zrh4
  complex(dp) :: zsq
  real(dp) :: sq, sqd, sqb, sqin, sqind, left, right, h

  do i = 1, nseg
    nubo(:, i) = [1 + mod(i - 1, ns), 1 + mod(2*i, ns)]
    if (nubo(1, i) == nubo(2, i)) nubo(2, i) = 1 + mod(nubo(2, i), ns)
  end do
  call fill(t3, 1)
  call fill(g3, 2)
  call fill(g4, 3)
  call fill(rh3in, 4)
  call fill(rh4in, 5)
  call fill(pres, 6)
  call fill(t3d, 7)
  call fill(g3d, 8)
  call fill(g4d, 9)
  call fill(rh3ind, 10)
  call fill(rh4ind, 11)
  call fill(presd, 12)
  call fill(vnocl(1, :), 13)
  call fill(vnocl(2, :), 14)
  call fill(vnocld(1, :), 15)
  call fill(vnocld(2, :), 16)
  call fill(w3, 17)
  call fill(w4, 18)
  sqin = 0.3_dp
  sqind = -0.8_dp

  rh3 = rh3in
  rh4 = rh4in
  sq = sqin
  rh3d = rh3ind
  rh4d = rh4ind
  sqd = sqind
  call flw2d1col_d(1, nseg, nubo, t3, t3d, pres, presd, vnocl, vnocld, g3, g3d, g4, g4d, rh3, rh3d, rh4, rh4d, ns, nseg, sq, sqd)

  h = 1e-100_dp
  zrh3 = cmplx(rh3in, h*rh3ind, dp)
  zrh4 = cmplx(rh4in, h*rh4ind, dp)
  zsq = cmplx(sqin, h*sqind, dp)
  call complex_step(cmplx(t3, h*t3d, dp), cmplx(pres, h*presd, dp), cmplx(vnocl, h*vnocld, dp), cmplx(g3, h*g3d, dp), &
    cmplx(g4, h*g4d, dp), zrh3, zrh4, zsq)
  if (any(abs(aimag(zrh3)/h - rh3d) > 1e-13_dp) .or. any(abs(aimag(zrh4)/h - rh4d) > 1e-13_dp)) stop 1
  if (abs(aimag(zsq)/h - sqd) > 1e-13_dp) stop 1

  rh3b = w3
  rh4b = w4
  sqb = 0.7_dp
  left = dot_product(rh3b, rh3d) + dot_product(rh4b, rh4d) + sqb*sqd
  t3b = 0
  presb = 0
  vnoclb = 0
  g3b = 0
  g4b = 0
  rh3 = rh3in
  rh4 = rh4in
  sq = sqin
  call flw2d1col_b(1, nseg, nubo, t3, t3b, pres, presb, vnocl, vnoclb, g3, g3b, g4, g4b, rh3, rh3b, rh4, rh4b, ns, nseg, sq, sqb)
  right = dot_product(t3b, t3d) + dot_product(presb, presd) + sum(vnoclb*vnocld) + dot_product(g3b, g3d) + dot_product(g4b, g4d) &
    + dot_product(rh3b, rh3ind) + dot_product(rh4b, rh4ind) + sqb*sqind
  print '(2(a,es24.16))', '<yb, J xd> = ', left, '   <J^T yb, xd> = ', right
  if (abs(left - right) > 1e-13_dp*abs(left)) stop 1
contains
  subroutine fill(v, k)
    real(dp), intent(out) :: v(:)
    integer, intent(in) :: k
    integer :: j
    v = [(sin(1.7_dp*j + 0.9_dp*k), j=1, size(v))]
  end subroutine fill

  ! the primal in complex arithmetic, written by hand
  subroutine complex_step(t3, pres, vnocl, g3, g4, rh3, rh4, sq)
    complex(dp), intent(in) :: t3(:), pres(:), vnocl(:, :), g3(:), g4(:)
    complex(dp), intent(inout) :: rh3(:), rh4(:), sq
    complex(dp) :: flux3, flux4
    integer :: j, a, b
    do j = 1, nseg
      a = nubo(1, j)
      b = nubo(2, j)
      flux4 = vnocl(2, j)*(t3(a)*g4(a) + t3(b)*g4(b))
      flux3 = vnocl(2, j)*(t3(a)*g3(a) + t3(b)*g3(b) + pres(a) + pres(b))
      rh4(a) = rh4(a) + flux4
      rh4(b) = rh4(b) - flux4
      rh3(a) = rh3(a) + flux3
      rh3(b) = rh3(b) - flux3
      sq = sq + (pres(a) + pres(b))**2
    end do
  end subroutine complex_step
end program driver
