! complex numbers
! f(y)/(x)
subroutine f(x, y)
  double precision, intent(in) :: x
  double precision, intent(out) :: y
  complex(kind(1d0)) :: z
  z = cmplx(x, 2d0, kind(1d0))
  y = real(z*z)
end subroutine
