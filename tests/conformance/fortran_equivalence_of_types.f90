! EQUIVALENCE of different types
! f(y)/(x)
subroutine f(x, y)
  double precision x, y, a
  real b(2)
  equivalence (a, b)
  a = x*x
  y = a*b(1)*x
end subroutine
