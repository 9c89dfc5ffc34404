! Quadratic form of weights with the Gaussian kernel of all pairs of points.
function gausskernel(n, d, width, x, weight) result(total)
  implicit none
  integer, intent(in) :: n, d
  double precision, intent(in) :: width, x(d, n), weight(n)
  double precision :: total, row
  integer :: i, j
  total = 0
  do i = 1, n
    row = 0
    do j = 1, i - 1
      row = row + weight(j)*exp(-sum((x(:, i) - x(:, j))**2)/(2*width**2))
    end do
    total = total + weight(i)*(weight(i) + 2*row)
  end do
end function gausskernel
