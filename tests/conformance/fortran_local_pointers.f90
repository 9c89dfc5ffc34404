! local pointers that are other names, or own their memory
! f(y)/(x)
subroutine f(x, y)
  double precision, intent(in), target :: x(2)
  double precision, intent(out) :: y
  double precision, pointer :: p
  p => x(2)
  y = p*x(1)
end subroutine
