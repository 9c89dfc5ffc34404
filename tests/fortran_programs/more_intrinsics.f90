! Array intrinsics beyond the usual, DO CONCURRENT, implied DO, vector subscripts.
! head: f(y)/(x)
! args: n=4, x(4), y
subroutine f(n, x, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y
  real(8) :: w(n,2), m(2,2), z(n)
  integer :: i, j, idx(n)
  integer :: loc
  w(:,1) = x
  w(:,2) = 2*merge(x, w(:,1), x > 0.5d0)
  m = 0
  m(1,1) = x(1)
  do concurrent (j = 1:n)
    w(j,2) = w(j,2)*x(j)
  end do
  idx = [(i, i=1,n)]
  z = x(idx)
  loc = maxloc(x, 1)
  y = product(x) + norm2(x) + x(loc) + count(x > 0.4d0)*x(1)
  if (any(x > 0.9d0) .and. all(x > 0d0)) y = y + sum(z)
  y = y + dot_product(z, x) + sum(w)
  y = y + m(1,1)
end subroutine
