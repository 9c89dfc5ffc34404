! COMMON
! f(y)/(x)
subroutine f(x, y)
  double precision x, y, t
  common /c/ t
  t = x*x
  y = t*x
end subroutine
