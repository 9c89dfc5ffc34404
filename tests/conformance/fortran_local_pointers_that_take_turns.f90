! local pointers that take turns
! f(y)/(x)
subroutine f(x, y)
  double precision, intent(in), target :: x(2)
  double precision, intent(out) :: y
  double precision, pointer :: p
  p => x(2)
  if (x(1) > 1d0) p => x(1)
  y = p*x(1)
end subroutine
