! The largest eigenvalue of a matrix (by rows): a fixed number of power iterations, then the Rayleigh quotient.
function poweriter(n, iterations, a) result(quotient)
  implicit none
  integer, intent(in) :: n, iterations
  double precision, intent(in) :: a(n, n)
  double precision :: quotient, x(n), y(n)
  integer :: t
  x = 1/sqrt(dble(n))
  do t = 1, iterations
    y = apply(x)
    x = y/norm2(y)
  end do
  quotient = dot_product(x, apply(x))
contains
  function apply(x) result(y)
    double precision, intent(in) :: x(:)
    double precision :: y(size(x))
    integer :: i
    do i = 1, size(x)
      y(i) = dot_product(a(:, i), x)
    end do
  end function apply
end function poweriter
