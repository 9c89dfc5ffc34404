subroutine cost(n, x, c)
  implicit none
  integer, intent(in) :: n
  double precision, intent(in) :: x(n)
  double precision, intent(out) :: c

  c = sum(x*sin(x))
end subroutine cost
