! ENTRY
! f(y)/(x)
subroutine f(x, y)
  double precision x, y
  y = x*x
  return
  entry g(x, y)
  y = x*x*x
end subroutine
