! Solves a tridiagonal system (Thomas algorithm): a below, b on and c above the diagonal; x is the right-hand side, then the solution.
subroutine thomas(n, a, b, c, x)
  implicit none
  integer, intent(in) :: n
  double precision, intent(in) :: a(n), b(n), c(n)
  double precision, intent(inout) :: x(n)
  double precision :: g(n), pivot
  integer :: i
  pivot = b(1)
  x(1) = x(1)/pivot
  do i = 2, n
    g(i) = c(i - 1)/pivot
    pivot = b(i) - a(i)*g(i)
    x(i) = (x(i) - a(i)*x(i - 1))/pivot
  end do
  do i = n - 1, 1, -1
    x(i) = x(i) - g(i + 1)*x(i + 1)
  end do
end subroutine thomas
