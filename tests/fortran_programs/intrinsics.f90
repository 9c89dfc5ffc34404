! Elemental intrinsics.
! head: f(y)/(x)
! args: x(6)=[0.4d0,-0.7d0,1.6d0,0.9d0,-1.3d0,2.2d0], y(20)
subroutine f(x, y)
  implicit none
  real(8), intent(in) :: x(6)
  real(8), intent(out) :: y(20)
  y(1) = abs(x(2)) + sign(x(1), x(2))
  y(2) = mod(x(6), x(1)) + aint(x(6))*x(1)
  y(3) = anint(x(3))*x(2) + nint(x(3))*x(1)
  y(4) = atan2(x(1), x(2))
  y(5) = merge(x(1)**2, x(2)**2, x(1) > x(2))
  y(6) = dim(x(3), x(1))
  y(7) = asin(x(1)) + acos(x(2)) + atan(x(3))
  y(8) = sinh(x(1)) + cosh(x(2)) + tanh(x(3))
  y(9) = exp(x(1)) + log(x(3)) + log10(x(3)) + sqrt(x(4))
  y(10) = tan(x(1))*sin(x(2))*cos(x(3))
  y(11) = x(3)**x(4) + x(1)**3 + x(3)**2.5d0 + 2d0**x(2)
  y(12) = hypot(x(1), x(2)) + erf(x(1)) + erfc(x(2))
  y(13) = gamma(x(3)) + log_gamma(x(6))
  y(14) = asinh(x(1)) + acosh(x(3)) + atanh(x(1))
  y(15) = max(x(1), x(2), x(3))*min(x(4), x(5))
  y(16) = modulo(x(5), x(1)) + floor(x(6)) + ceiling(x(6))*x(1)
  y(17) = dble(real(x(1), 8))*int(x(6))
  y(18) = x(1)**(-2) + (-x(2))**0.5d0
  y(19) = sign(1d0, x(2))*x(1) + dprod2(x(1))
  y(20) = x(6)/x(1)/x(3)
contains
  pure elemental real(8) function dprod2(v)
    real(8), intent(in) :: v
    dprod2 = v*v
  end function dprod2
end subroutine f
