! optional arguments
! f(y)/(x)
subroutine f(x, y, z)
  double precision, intent(in) :: x
  double precision, intent(out) :: y
  double precision, intent(in), optional :: z
  y = x*x
  if (present(z)) y = y*z
end subroutine
