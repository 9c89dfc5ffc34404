! ENTRY beside saved variables
! f(y)/(x)
subroutine f(x, y)
  double precision x, y, s
  save s
  s = x*x
  y = s
  return
  entry g(x, y)
  y = s*x*x
end subroutine
