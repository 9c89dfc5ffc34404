! A polynomial at many points by Horner's rule.
subroutine horner(n, degree, c, x, y)
  implicit none
  integer, intent(in) :: n, degree
  double precision, intent(in) :: c(0:degree), x(n)
  double precision, intent(out) :: y(n)
  integer :: k
  y = c(degree)
  do k = degree - 1, 0, -1
    y = y*x + c(k)
  end do
end subroutine horner
