! SAVE and DATA
! f(y)/(x)
subroutine f(x, y)
  double precision, intent(in) :: x
  double precision, intent(out) :: y
  double precision, save :: last
  data last /0.5d0/
  y = x*last
  last = x
end subroutine
