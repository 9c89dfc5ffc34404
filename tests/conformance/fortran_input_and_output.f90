! input and output
! f(y)/(x)
subroutine f(x, y)
  double precision, intent(in) :: x
  double precision, intent(out) :: y
  y = x*x
  print *, y
end subroutine
