! The same variable, or overlapping parts of it, for two arguments that are only read.
! head: twice(s)/(x,w)
! args: n=5, x(5), w(3,5), s(7)
! head: seen(s)/(g)
! use: host_data
! args: s
! global: g(4)
! head: open_end(s)/(x)
! args: n=5, m=3, x(13), s(4)
! head: columns(s)/(a)
! args: n=4, m=3, a(4,3), s(3)
module host_data
  implicit none
  real(8) :: g(4)
contains
  real(8) function mixed(a)
    real(8), intent(in) :: a(4)
    integer :: i
    mixed = 0
    do i = 1, 4
      mixed = mixed + a(i)*g(5-i)
    end do
  end function mixed
  subroutine seen(s)
    real(8), intent(out) :: s
    s = mixed(g)
  end subroutine seen
end module host_data

real(8) function inner(n, a, b)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: a(n), b(n)
  integer :: i
  inner = 0
  do i = 1, n
    inner = inner + a(i)*b(i)**2
  end do
end function inner

real(8) function pair(a, b)
  implicit none
  real(8), intent(in) :: a, b
  pair = a*sin(b) + b
end function pair

subroutine twice(n, x, w, s)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n), w(3, n)
  real(8), intent(out) :: s(7)
  real(8), external :: inner, pair
  integer :: i
  s = 0
  s(1) = inner(n, x, x)
  s(2) = inner(n-1, x(1:n-1), x(2:n))
  s(3) = inner(3, w(:, 1), w(:, 2)) + inner(3, w(1, 4), w(1, 3))
  s(4) = pair(x(2), x(2))
  do i = 1, n-1
    s(5) = s(5) + pair(x(i), x(i+1))
    s(6) = s(6) + pair(x(i), x(n-i))
  end do
  s(7) = inner(2, x(2), x(3))
end subroutine twice

! How long x is the caller knows: what inner declares counts.
subroutine open_end(n, m, x, s)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(*)
  real(8), intent(out) :: s(4)
  real(8), external :: inner
  s(1) = inner(n, x(1), x(2))
  s(2) = inner(n, x, x(n+1))
  s(3) = inner(n, x(m), x(m+2)) + inner(2, x(4:5), x(5:6))
  s(4) = inner(m, x(n), x(n-1))
end subroutine open_end

! Nobody declares how long these are.
real(8) function product(n, a, inca, b, incb)
  implicit none
  integer, intent(in) :: n, inca, incb
  real(8), intent(in) :: a(*), b(*)
  integer :: i
  product = 0
  do i = 1, n
    product = product + a(1 + (i-1)*inca)*b(1 + (i-1)*incb)
  end do
end function product

subroutine columns(n, m, a, s)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: a(n, *)
  real(8), intent(out) :: s(3)
  real(8), external :: product
  integer :: j
  s = 0
  do j = 1, m - 1
    s(1) = s(1) + product(n, a(1, j), 1, a(1, j+1), 1)*j
  end do
  s(2) = product(n - 1, a(1, 1), 1, a(2, 1), 1)
  s(3) = product(m, a(2, 1), n, a(2, 1), n)
end subroutine columns
