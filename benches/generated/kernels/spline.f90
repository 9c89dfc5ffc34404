! Sum of squares of a natural cubic spline with knots 0, 1, .. n - 1 at m places: second derivatives by a tridiagonal solution, then evaluations.
function spline(n, m, y, q) result(total)
  implicit none
  integer, intent(in) :: n, m
  double precision, intent(in) :: y(n), q(m)
  double precision :: total, s(n)
  integer :: i
  call second_derivatives(y, s)
  total = 0
  do i = 1, m
    total = total + evaluate(q(i))**2
  end do
contains
  subroutine second_derivatives(y, s)
    double precision, intent(in) :: y(:)
    double precision, intent(out) :: s(:)
    double precision :: g(size(y)), pivot
    integer :: i
    s(1) = 0
    s(n) = 0
    g(1) = 0
    do i = 2, n - 1
      pivot = 4 - g(i - 1)
      g(i) = 1/pivot
      s(i) = (6*(y(i + 1) - 2*y(i) + y(i - 1)) - s(i - 1))/pivot
    end do
    do i = n - 1, 2, -1
      s(i) = s(i) - g(i)*s(i + 1)
    end do
  end subroutine second_derivatives

  double precision function evaluate(at)
    double precision, intent(in) :: at
    double precision :: a, b
    integer :: k
    k = min(max(int(at), 0), n - 2) + 1
    b = at - (k - 1)
    a = 1 - b
    evaluate = a*y(k) + b*y(k + 1) + ((a**3 - a)*s(k) + (b**3 - b)*s(k + 1))/6
  end function evaluate
end function spline
