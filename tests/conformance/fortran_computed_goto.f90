! computed GOTO
! f(y)/(x)
subroutine f(k, x, y)
  integer k
  double precision x, y
  y = x
  go to (10, 20), k
  return
10 y = x*x
  return
20 y = x*x*x
end subroutine
