! Gaussian log-density of b, up to a constant: Cholesky factor of the covariance (upper triangle of a, by columns), a solve and the determinant.
function cholesky(n, a, b) result(density)
  implicit none
  integer, intent(in) :: n
  double precision, intent(in) :: a(n, n), b(n)
  double precision :: density, u(n, n), y(n)
  integer :: i
  call factorize(a, u)
  density = 0
  do i = 1, n
    y(i) = (b(i) - dot_product(u(1:i - 1, i), y(1:i - 1)))/u(i, i)
    density = density - 0.5d0*y(i)**2 - log(u(i, i))
  end do
contains
  subroutine factorize(a, u)
    double precision, intent(in) :: a(:, :)
    double precision, intent(out) :: u(:, :)
    integer :: i, j
    do j = 1, size(a, 2)
      do i = 1, j - 1
        u(i, j) = (a(i, j) - dot_product(u(1:i - 1, i), u(1:i - 1, j)))/u(i, i)
      end do
      u(j, j) = sqrt(a(j, j) - sum(u(1:j - 1, j)**2))
    end do
  end subroutine factorize
end function cholesky
