! modules and their variables
! f(y)/(x)
module m
  double precision :: scale = 2
contains
  subroutine f(x, y)
    double precision, intent(in) :: x
    double precision, intent(out) :: y
    scale = scale*x
    y = scale*x
  end subroutine
end module
