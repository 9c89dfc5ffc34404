! Internal functions whose results are vectors: of arguments that are sections, of variables of the host, one of another's result, and one that sets a variable of the host.
! head: midpoint(x,mean)/(x,p,turn)
! args: n=3, x(3,4), p(3), turn, mean
subroutine midpoint(n, x, p, turn, mean)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: x(3, 4)
  real(8), intent(in) :: p(3), turn
  real(8), intent(out) :: mean
  real(8) :: s(3), w(2), r, h
  integer :: t, calls
  h = 0.1d0
  calls = 0
  r = p(1)
  s = p
  w = [1d0, turn]
  mean = 0
  do t = 1, n
    s = s + h*rate(s + 0.5d0*h*rate(s))
    r = r*cos(s(2))
    w = product_of(w, turned(turn*t))
    x(:, t) = rate(x(:, t + 1))*w(1)
    x(1:2, t + 1) = x(1:2, t + 1) + product_of(x(2:3, t), w)
    mean = mean + s(3)*w(2) + counted(s(1))
  end do
  mean = mean*r/calls
contains
  pure function rate(s) result(v)
    real(8), intent(in) :: s(3)
    real(8) :: v(3)
    v = [p(2)*(s(2) - s(1)), s(1)*(r - s(3)) - s(2), s(1)*s(2) - turn*s(3)]
  end function rate
  pure function product_of(a, b) result(c)
    real(8), intent(in) :: a(2), b(2)
    real(8) :: c(2)
    c = [a(1)*b(1) - a(2)*b(2), a(1)*b(2) + a(2)*b(1)]
  end function product_of
  pure function turned(angle) result(c)
    real(8), intent(in) :: angle
    real(8) :: c(2)
    c = angle
    c = [cos(c(1)), sin(c(2))]
  end function turned
  function counted(a) result(c)
    real(8), intent(in) :: a
    real(8) :: c
    calls = calls + 1
    c = a*r
  end function counted
end subroutine midpoint
