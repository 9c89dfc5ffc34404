! Elementary functions of complex numbers, on both sides of the real axis.
! head: elementary(y)/(x)
! args: x(4), y(15)
subroutine elementary(x, y)
  implicit none
  double precision, intent(in) :: x(4)
  double precision, intent(out) :: y(15)
  complex(8) :: z, w, f(15)
  integer :: k
  z = cmplx(x(1), x(2), 8)
  w = cmplx(x(3), -x(4), 8)*(0.4d0, 0.3d0)
  f(1) = sqrt(z) + sqrt(-w)
  f(2) = exp(z)*exp(-w)
  f(3) = log(z*w) + log(-z)
  f(4) = sin(z) - sin(w)
  f(5) = cos(z)*cos(w)
  f(6) = tan(z)/tan(w)
  f(7) = sinh(z*w)
  f(8) = cosh(z + w)
  f(9) = tanh(z - w)
  f(10) = asin(z) + asin(w)
  f(11) = acos(z)*w
  f(12) = atan(w) + atan(z)
  f(13) = asinh(z - 2*w)
  f(14) = acosh(z)*acosh(-w)
  f(15) = atanh(z*w) + z**w
  do k = 1, 15
    y(k) = real(f(k)) + 0.7d0*aimag(f(k))
  end do
end subroutine
