! Solves a dense system, the transpose of a, by Gaussian elimination without pivoting; b is the right-hand side, then the solution.
subroutine lu(n, a, b)
  implicit none
  integer, intent(in) :: n
  double precision, intent(in) :: a(n, n)
  double precision, intent(inout) :: b(n)
  double precision :: m(n, n)
  integer :: i, j, k
  m = transpose(a)
  do k = 1, n - 1
    m(k + 1:n, k) = m(k + 1:n, k)/m(k, k)
    do j = k + 1, n
      m(k + 1:n, j) = m(k + 1:n, j) - m(k + 1:n, k)*m(k, j)
    end do
  end do
  do i = 1, n - 1
    b(i + 1:n) = b(i + 1:n) - m(i + 1:n, i)*b(i)
  end do
  do i = n, 1, -1
    b(i) = b(i)/m(i, i)
    b(1:i - 1) = b(1:i - 1) - m(1:i - 1, i)*b(i)
  end do
end subroutine lu
