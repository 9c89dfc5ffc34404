! array expressions
! f(y)/(x)
subroutine f(x, y)
  double precision, intent(in) :: x(4)
  double precision, intent(out) :: y(4)
  y = x*x(4:1:-1)
  where (y > 0.5d0) y = sqrt(y)
end subroutine
