! head: path(l,last)/(p,q)
! args: n=3, p(3,3), q(3), l, last(3)
! head: twist(y)/(x)
! args: n=5, x(5), y
! Vectors of three elements with bounds of their own, all named by constants.
subroutine path(n, p, q, l, last)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: p(3, n), q(3)
  real(8), intent(out) :: l, last(3)
  real(8) :: a(-1:1), b(3), cross(3), keep(2)
  integer :: i
  l = 0
  keep(1) = 1
  keep(2) = q(1)
  do i = 1, n
    a(-1) = p(1, i)*q(2)
    a(0) = p(2, i) - keep(1)
    a(1) = p(3, i)
    b(1) = q(1)
    b(2) = q(2)*a(0)
    b(3) = q(3)
    cross(1) = a(0)*b(3) - a(1)*b(2)
    cross(2) = a(1)*b(1) - a(-1)*b(3)
    cross(3) = a(-1)*b(2) - a(0)*b(1)
    keep(1) = keep(2)*0.5d0
    keep(2) = cross(1)*cross(2)
    l = l + sqrt(cross(1)**2 + cross(2)**2 + cross(3)**2)
  end do
  last(1) = cross(1)*keep(1)
  last(2) = cross(2)
  last(3) = cross(3) + keep(2)
end subroutine path

subroutine twist(n, x, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y
  real(8) :: t(2)
  integer :: i
  t(1) = 1
  t(2) = 0
  do i = 1, n
    if (x(i) < 0) cycle
    t(2) = t(1)*x(i)
    t(1) = sin(t(2)) + t(1)
    if (t(1) > 4) exit
  end do
  y = t(1)*t(2)
end subroutine twist
