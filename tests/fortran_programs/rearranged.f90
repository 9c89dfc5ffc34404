! SPREAD, RESHAPE, CSHIFT, EOSHIFT, MERGE, constructors with arrays and implied loops, FORALL.
! head: rearrange(y,s)/(x,b)
! args: n=6, x(6), b(2,3), y(6), s
! head: forall_all(y)/(x,y)
! args: n=5, x(5,5), y(5)~
! head: constructed(y)/(x)
! args: n=5, x(5), y(12)
subroutine rearrange(n, x, b, y, s)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n), b(2, 3)
  real(8), intent(out) :: y(n), s
  real(8) :: m(2, 3), g(n, n), d(n)
  m = reshape(x, [2, 3]) + b*2
  y = reshape(m, shape(y))
  g = spread(x, dim=1, ncopies=n)*spread(x, 2, n)
  s = sum(g) + sum(spread(y(2), 1, 3))
  d = (cshift(x, 1) - cshift(x, -1))/2
  y = y + d*eoshift(x, 2) + eoshift(y, -1)
  m = cshift(b, shift=1, dim=2)
  s = s + sum(m*b) + sum(merge(d, y, x > 0.7d0))
end subroutine rearrange

subroutine forall_all(n, x, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n, n)
  real(8), intent(inout) :: y(n)
  integer :: i, j
  real(8) :: a(n, n)
  forall (i = 1:n, j = 1:n) a(i, j) = x(j, i)**2
  forall (i = 2:n-1) y(i) = y(i-1) + y(i+1)*a(i, i)
  forall (i = 1:n, j = 1:n, i > j)
    a(i, j) = a(j, i)*y(i)
    a(j, i) = sin(x(i, j))
  end forall
  forall (i = n:1:-2) y(i) = y(i) + sum(a(i, :))
end subroutine forall_all

subroutine constructed(n, x, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(2*n + 2)
  integer :: i, j
  real(8) :: t(n)
  t = [(x(i)*i, i = 1, n)]
  y = [x(1), t(2:n), x*2d0, [(sin(x(j)), cos(x(j)), j = 1, 1)]]
  y(1:4) = y(1:4)*[(real(i, 8), i = 4, 1, -1)]
  y(5:8) = y(5:8) + [((x(i)*x(j), i = 1, 2), j = 2, 3)]
end subroutine constructed
