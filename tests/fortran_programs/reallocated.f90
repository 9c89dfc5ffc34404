! Allocatable arrays that assignments allocate, that keep their shape, and that are allocated several times.
! head: by_assignment(y)/(x)
! args: n=5, x(5), y
! head: again(y)/(x)
! args: n=4, x(4), y
subroutine by_assignment(n, x, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y
  real(8), allocatable :: a(:), b(:, :), c(:), p(:)
  integer :: k
  a = x**2
  b = spread(a(2:n), 2, 3)
  allocate (c(n), p(0:n-1))
  do k = 1, 3
    a = a*x + k
    c = sin(a)
    p = x*c
  end do
  b = b*2
  y = sum(b) + sum(c)*a(1) + p(0)
end subroutine by_assignment

subroutine again(n, x, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y
  real(8), allocatable :: a(:)
  integer :: k
  y = 0
  do k = 1, n
    allocate (a(k))
    a = x(1:k)**2
    if (k > 1) a(2:) = a(2:)*a(1:k-1)
    y = y + sum(a)*x(k)
    deallocate (a)
  end do
  allocate (a(2*n))
  a(1:n) = x*y
  a(n+1:) = x**3
  y = y + dot_product(a(1:n), a(n+1:2*n))
  deallocate (a)
end subroutine again
