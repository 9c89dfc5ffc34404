! Scalars that follow from the indices of loops.
! head: periodic(y)/(u)
! args: u(6), y(4)
module ring
  implicit none
  integer :: offset = 1
contains
  subroutine couple(k, w, u, z)
    integer, intent(in) :: k
    real(8), intent(in) :: w, u(:)
    real(8), intent(inout) :: z
    z = z*w*u(k) + u(k)**2
    offset = offset + 1
  end subroutine
end module
subroutine periodic(u, y)
  use ring, only: offset, couple
  implicit none
  real(8), intent(inout) :: u(6)
  real(8), intent(out) :: y(4)
  real(8) :: v(6), c, h
  integer :: i, j, k, l, m, n, r, t
  logical :: inner
  n = size(u)
  h = 0.1d0
  y = 1
  offset = 1
  do t = 1, 3
    do i = 1, n
      l = modulo(i - 2, n) + 1
      r = mod(i, n) + 1
      c = 0.5d0*h
      v(i) = u(i) - c*u(i)*(u(r) - u(l))
    end do
    u = v
  end do
  ! What the callee changes between the iterations cannot be set again from what it is behind them.
  do i = 1, n
    k = mod(i + offset, n) + 1
    c = 0.3d0*real(k, 8)
    call couple(k, c, u, y(1))
  end do
  outer: do i = 1, n
    m = n + 1 - i
    do j = 1, m
      k = mod(i + 2*j, n) + 1
      inner = k > 2 .and. k < 6
      if (k == 4) cycle
      if (i + j > 7) exit outer
      if (inner) then
        y(2) = y(2)*u(k) + sin(u(m))
      else
        y(2) = cos(y(2))*u(k)
      end if
    end do
  end do outer
  ! Read in the iteration behind as well.
  k = 1
  do i = 1, n
    y(3) = y(3)*u(k) + u(i)
    k = mod(3*i, n) + 1
  end do
  do concurrent (i=1:n)
    v(i) = u(i)*u(i)
  end do
  do i = n, 1, -2
    select case (mod(i, 4))
    case (0)
      r = i/2
      y(4) = y(4)*v(r)
    case default
      r = n + 1 - i
      y(4) = y(4)*v(i) + v(mod(r, n) + 1)
    end select
  end do
end subroutine
