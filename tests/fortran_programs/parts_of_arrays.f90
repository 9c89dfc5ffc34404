! head: run(x,b)/(x,b)
! args: n=7, x(7)~, b(0:7,2)~
! head: rows(a)/(a)
! args: m=4, n=5, a(4,5)~
! head: points(y)/(x)
! args: n=5, x(5), y(5)
! head: steps(s)/(x)
! args: n=6, x(6), s
! head: halves(y)/(x)
! args: n=6, x(6), y(6)
! Units that write a part of an array only: an element, a column, an element under a condition, one whose index they change, one in each call of another unit.
subroutine scaled(n, k, v, s)
  implicit none
  integer, intent(in) :: n, k
  real(8), intent(inout) :: v(n)
  real(8), intent(in) :: s
  integer :: j
  v(k) = v(k)*s
  if (s > 0.5d0) v(k) = sin(v(k))
  do j = 1, 3
    v(k) = v(k)*(1 + 0.1d0*s)
  end do
end subroutine

subroutine two(n, k, v)
  implicit none
  integer, intent(in) :: n, k
  real(8), intent(inout) :: v(n)
  call scaled(n, k, v, v(1))
  call scaled(n, k + 1, v, v(2))
  v(k) = v(k)*v(k + 1)
end subroutine

! Nothing where k is no subscript.
subroutine perhaps(n, k, v)
  implicit none
  integer, intent(in) :: n, k
  real(8), intent(inout) :: v(n)
  if (k >= 1) v(k) = v(k)*v(k)
end subroutine

subroutine moves(n, k, v)
  implicit none
  integer, intent(in) :: n
  integer, intent(inout) :: k
  real(8), intent(inout) :: v(n)
  v(k) = v(k)*v(k)
  k = k + 1
end subroutine

subroutine column(m, k, a)
  implicit none
  integer, intent(in) :: m, k
  real(8), intent(inout) :: a(0:m, 2)
  integer :: j
  do j = m, 0, -1
    a(j, k) = a(j, k)*a(0, 3 - k)
  end do
end subroutine

subroutine run(n, x, b)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: x(n), b(0:n, 2)
  integer :: i, k
  do i = 3, n - 1
    call two(n, i, x)
  end do
  do i = 0, n
    call perhaps(n, i, x)
  end do
  k = 3
  do i = 1, 2
    call moves(n, k, x)
  end do
  do i = 1, 2
    call column(n, i, b)
    call column(n, 3 - i, b)
  end do
  x(1) = x(1)*b(1, 1)
end subroutine

! The lower triangle, and a shape that is not the one of the actual argument.
subroutine below(m, k, a)
  implicit none
  integer, intent(in) :: m, k
  real(8), intent(inout) :: a(m, *)
  integer :: i
  do i = k + 1, m
    a(i, k) = a(i, k)/a(k, k)
  end do
end subroutine

subroutine as_one(n, k, v)
  implicit none
  integer, intent(in) :: n, k
  real(8), intent(inout) :: v(n)
  v(k) = v(k)*v(k)*v(1)
end subroutine

subroutine turned(m, n, i, a)
  implicit none
  integer, intent(in) :: m, n, i
  real(8), intent(inout) :: a(n, m)
  a(i, 1) = a(i, 1)*a(2, 2)
end subroutine

subroutine rows(m, n, a)
  implicit none
  integer, intent(in) :: m, n
  real(8), intent(inout) :: a(m, n)
  integer :: k
  do k = 1, m
    call below(m, k, a)
    call as_one(m*n, k + m, a)
    call turned(m, n, k, a)
  end do
end subroutine

! Assumed shapes with other lower bounds, indices in variables, what is set again and again.
subroutine points(n, x, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(n)
  real(8) :: w(-1:n - 2)
  integer :: i, k
  w = x
  do i = 1, n
    k = mod(3*i, n) + 1
    call one(w, k, i)
  end do
  y = w*x(1)
contains
  subroutine one(v, j, l)
    real(8), intent(inout) :: v(:)
    integer, intent(in) :: j, l
    integer :: q
    q = j
    v(q) = v(q)*v(l) + sin(v(q))
  end subroutine
end subroutine

! What an assignment turns into an integer is no subscript before that.
subroutine half(n, k, v)
  implicit none
  integer, intent(in) :: n, k
  real(8), intent(inout) :: v(n)
  integer :: q
  q = 0.5d0*k + 1
  v(q) = v(q)*v(q)
end subroutine

subroutine as_wide(n, k, v)
  implicit none
  integer, intent(in) :: n, k
  real(8), intent(inout) :: v(n)
  integer(8) :: wide
  wide = k
  v(wide) = sin(v(wide))*v(wide)
end subroutine

subroutine halves(n, x, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(n)
  integer :: i
  y = x
  do i = 1, n
    call half(n, i, y)
    call as_wide(n, i, y)
  end do
end subroutine

! A recurrence through a unit.
subroutine advance(n, t, u)
  implicit none
  integer, intent(in) :: n, t
  real(8), intent(inout) :: u(0:n)
  u(t) = u(t - 1)*u(t - 1)*0.3d0 + u(t)
end subroutine

subroutine steps(n, x, s)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: s
  real(8) :: u(0:n)
  integer :: t
  u(0) = 1
  u(1:n) = x
  do t = 1, n
    call advance(n, t, u)
  end do
  do t = n, 1, -1
    call advance(n, t, u)
  end do
  s = sum(u)
end subroutine
