! What is the same in all iterations of a loop, and loops that have none.
! head: invariants(y)/(r,x)
! args: n=4, m=3, r(3), x(4), y
! head: invariants(y)/(r,x)
! args: n=4, m=2, r(3), x(4), y
! head: invariants(y)/(r,x)
! args: n=0, m=3, r(3), x(4), y
subroutine invariants(n, m, r, x, y)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: r(3), x(n)
  real(8), intent(out) :: y
  real(8) :: s, t, c, w(3), before, norm, f
  integer :: i, j, k, mode
  y = 0d0
  before = r(1)*r(2)
  w = 1d0
  mode = merge(1, 2, m > 2)
  do k = 1, n
    s = r(1)**2 + r(2)**2
    if (s > 0.01d0) then
      t = sqrt(s)
      c = cos(t)
      do i = 1, 3
        w(i) = r(i)/t
      end do
      y = y + c*x(k)*w(1) + t*x(k)**2
    else
      y = y + r(3)*x(k)
    end if
    select case (mode)
    case (1)
      f = exp(r(3))
      y = y + f*x(k)
    case default
      f = sin(r(3))
      y = y - f*x(k)*k
    end select
    norm = 0d0
    do i = 1, 3
      norm = norm + w(i)*r(i)
    end do
    do j = n, 1, -2
      y = y + norm*x(j)*tanh(r(1)*x(k))
      before = r(1)*r(1)*r(3)
    end do
  end do
  ! The index of a loop without iterations is set all the same.
  y = y + before*norm_of(k, r)
contains
  pure real(8) function norm_of(k, r)
    integer, intent(in) :: k
    real(8), intent(in) :: r(3)
    norm_of = k*(r(1)**2 + r(2)**2 + r(3)**2)
  end function norm_of
end subroutine invariants
