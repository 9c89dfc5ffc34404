! Whole arrays that one statement allocates: bounds that are no ones, that change afterwards, that depend on the path, and arrays of no elements.
! head: steps(y)/(x,k)
! args: n=5, nt=3, x(5), k(5), y
! head: moved(y)/(x)
! args: n=4, x(4), y
! head: once(y)/(x)
! args: n=3, x(3), y
! head: twice(y)/(x)
! args: n=4, x(4), y
subroutine steps(n, nt, x, k, y)
  implicit none
  integer, intent(in) :: n, nt
  real(8), intent(in) :: x(n), k(n)
  real(8), intent(out) :: y
  real(8), allocatable, dimension(:) :: u, unew, w
  integer :: i, t
  allocate (u(n), unew(0:n - 1), w(n + 1:n))
  u = x
  unew = x
  w = 1
  do t = 1, nt
    do i = 2, n - 1
      unew(i - 1) = u(i) + 0.1d0*k(i)*(u(i - 1) - 2*u(i)*u(i) + u(i + 1))
    end do
    u = unew
  end do
  y = sum(u**2) + sum(w)
  deallocate (u, unew, w)
end subroutine
subroutine moved(n, x, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y
  real(8), allocatable :: a(:), b(:)
  integer :: m, i
  y = 0
  do i = 2, n
    m = i
    allocate (a(m))
    a = x(1:m)**2
    m = m - 1
    a = a*a(m)
    y = y + sum(a*a)
    deallocate (a)
  end do
  if (y > 0) then
    allocate (b(-1:n - 2))
    b = x*y
    y = y + sum(b**2)
    deallocate (b)
  end if
end subroutine
subroutine once(n, x, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y
  real(8), allocatable :: a(:)
  integer :: m
  m = n
  allocate (a(m))
  a = x**2
  m = 2
  a = a*a(m)
  call scale_all(a)
  m = m - 1
  y = sum(a*a) + a(m)
contains
  subroutine scale_all(v)
    real(8), intent(inout) :: v(:)
    v = v*sin(v)
  end subroutine
end subroutine

! The length changes between uses of the array and before it is freed, in a unit that may be one of a pair.
subroutine shrinks(n, x, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(inout) :: y
  real(8), allocatable :: a(:)
  integer :: k, i
  k = n
  allocate (a(k))
  do i = 1, n
    a(i) = x(i)*x(i)
  end do
  k = k - 1
  do i = 1, k
    a(i) = a(i)*sin(a(i + 1))
  end do
  do i = 1, n
    y = y*a(i) + a(i)
  end do
  k = 1
  deallocate (a)
end subroutine shrinks

subroutine twice(n, x, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y
  y = x(1)
  call shrinks(n, x, y)
  call shrinks(n, x, y)
end subroutine twice
