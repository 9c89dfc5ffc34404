! Bessel functions.
! head: cylinder(y)/(x)
! args: n=2, x(3)=[0.4d0,2.7d0,1.3d0], y(7)
subroutine cylinder(n, x, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(3)
  real(8), intent(out) :: y(7)
  integer :: k

  y(1) = bessel_j0(x(1)) * bessel_j1(x(2))
  y(2) = bessel_y0(x(2)) - bessel_y1(x(3))**2
  y(3) = bessel_jn(n, x(1)) + bessel_jn(0, x(2)) * bessel_jn(1, x(3))
  y(4) = bessel_yn(n, x(3)) * bessel_yn(0, x(2)) + bessel_yn(1, x(1))
  y(5) = 0.0d0
  do k = 0, 4
    y(5) = y(5) + bessel_jn(k, x(1) * x(2)) / (1 + k)
  end do
  y(6) = bessel_j1(0.0d0 * x(1)) + x(2) * bessel_jn(1, x(3) - x(3))
  y(7) = sum(bessel_j0(x)) * x(3)
end subroutine cylinder
