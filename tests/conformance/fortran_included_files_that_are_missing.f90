! procedures beside an INCLUDE of a file that is missing
! f(y)/(x)
subroutine f(x, y)
  double precision x, y
  y = x*x
end subroutine
subroutine g(x)
  double precision x
  include 'absent.inc'
end subroutine
