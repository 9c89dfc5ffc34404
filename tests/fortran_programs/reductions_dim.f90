! SUM, PRODUCT, MAXVAL and MINVAL with DIM and MASK, COUNT, ANY and ALL with DIM, NORM2.
! head: stats(r,c)/(a)
! args: n=4, m=3, a(4,3), r(4), c(3)
! head: scalars(s)/(a,w)
! args: n=4, m=3, a(4,3), w(4), s(5)
subroutine stats(n, m, a, r, c)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: a(n, m)
  real(8), intent(out) :: r(n), c(m)
  logical :: big(n)
  integer :: above(m)
  r = sum(a, dim=2)/m
  c = sum(a*a, 1) - product(a, dim=1)
  r = r + maxval(a, dim=2) - 2*minval(a, dim=2, mask=a > 0.4d0)*merge(1d0, 0d0, any(a > 0.4d0, dim=2))
  above = count(a > 0.6d0, dim=1)
  c = c + above*sum(a, dim=1, mask=a < 0.9d0)
  big = any(a > 1d0, dim=2) .or. all(a < 0.8d0, dim=2)
  where (big) r = r**2
  c = c + norm2(a, dim=1)
end subroutine stats

subroutine scalars(n, m, a, w, s)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: a(n, m), w(n)
  real(8), intent(out) :: s(5)
  s(1) = sum(a, mask=a > 0.5d0)
  s(2) = maxval(a(:, 2), mask=w < 0.8d0)
  s(3) = product(w, mask=w > 0.35d0)
  s(4) = product(a)
  s(5) = minval(a, a > 0.45d0)*sum(w, w > 0.5d0)
end subroutine scalars
