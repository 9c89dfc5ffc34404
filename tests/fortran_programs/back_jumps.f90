! Jumps back to labels: one in another, two that cross, from inside of loops and branches, endless ones that are left forward, and one whose middle is jumped into.
! head: relax(y)/(u,w)
! args: n=4, u(0:5)~, w, y
! head: crossing(y)/(x)
! args: x(2), y
! head: endless(y)/(x)
! args: x, y
! head: into_the_middle(y)/(x)
! args: x, y
subroutine relax(n, u, w, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: u(0:n + 1)
  real(8), intent(in) :: w
  real(8), intent(out) :: y
  real(8) :: r, big
  integer :: i, it, sweep
  it = 0
10 sweep = 0
20 big = 0
  do i = 1, n
    r = 0.5d0*(u(i - 1) + u(i + 1)) - u(i) + 0.1d0*sin(u(i))
    u(i) = u(i) + w*r
    if (abs(r) > 1d3) go to 90
    if (abs(r) > big) big = abs(r)
  end do
  sweep = sweep + 1
  if (sweep < 3) go to 20
  it = it + 1
  if (it >= 4) go to 30
  if (big > 1d-6) go to 10
30 y = sum(u**2)
  return
90 y = u(1)
end subroutine
subroutine crossing(x, y)
  implicit none
  real(8), intent(in) :: x(2)
  real(8), intent(out) :: y
  integer :: i, k
  y = 1
  i = 0
10 y = y*x(1) + 0.2d0
  i = i + 1
20 y = y + sin(y*x(2))
  if (mod(i, 3) == 1) go to 10
  i = i + 1
  do k = 1, 3
    if (i < 8 .and. k == 2) go to 20
    y = y*1.01d0
    if (i == 8 .and. k == 3) then
      i = 9
      go to 10
    end if
  end do
end subroutine
subroutine endless(x, y)
  implicit none
  real(8), intent(in) :: x
  real(8), intent(out) :: y
  integer :: k
  y = x
  k = 0
10 k = k + 1
  select case (mod(k, 4))
  case (1)
    y = y*x
  case (2)
    y = cos(y)
    go to 10
  case default
    y = y + x*k
  end select
  if (k > 9) go to 20
  y = y*0.9d0
  go to 10
20 y = y**2
end subroutine
subroutine into_the_middle(x, y)
  implicit none
  real(8), intent(in) :: x
  real(8), intent(out) :: y
  integer :: k
  y = x
  k = 0
  if (x < 100) go to 15
10 y = y*x
15 y = y + cos(x)
  k = k + 1
  if (k < 4) go to 10
end subroutine
