! EQUIVALENCE of numbers of one type
! f(y)/(x)
subroutine f(x, y)
  double precision x, y, a(2), b(2)
  equivalence (a, b)
  a(1) = x*x
  y = b(1)*x
end subroutine
