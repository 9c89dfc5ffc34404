! coarrays
! f(y)/(x)
subroutine f(x, y)
  double precision, intent(in) :: x
  double precision, intent(out) :: y
  double precision, save :: c[*]
  c = x*x
  y = c*x
end subroutine
