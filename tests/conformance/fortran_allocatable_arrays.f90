! allocatable arrays
! f(y)/(x)
subroutine f(n, x, y)
  integer, intent(in) :: n
  double precision, intent(in) :: x(n)
  double precision, intent(out) :: y
  double precision, allocatable :: w(:)
  allocate (w(n))
  w = x*x
  y = sum(w*x)
  deallocate (w)
end subroutine
