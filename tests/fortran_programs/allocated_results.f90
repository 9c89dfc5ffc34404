! Functions that allocate their result: by ALLOCATE, with bounds of their own, by an assignment; called in expressions, in loops and by one another.
! head: chains(y)/(x)
! use: shaped_results
! args: n=4, x(4), y
module shaped_results
  implicit none
contains
  function products_of(x) result(s)
    double precision, intent(in) :: x(:)
    double precision, allocatable :: s(:)
    integer :: i
    allocate (s(size(x)))
    s(1) = x(1)
    do i = 2, size(x)
      s(i) = s(i - 1)*x(i)
    end do
  end function
  function times(x, a) result(r)
    double precision, intent(in) :: x(:), a
    double precision, allocatable :: r(:)
    r = a*x
    r(1) = r(1)*r(2)
  end function
  function outer(u, v) result(m)
    double precision, intent(in) :: u(:), v(:)
    double precision, allocatable :: m(:, :)
    integer :: i
    allocate (m(0:size(u) - 1, size(v)))
    m = 0
    do i = 1, size(v)
      m(:, i) = u*v(i)
    end do
  end function
  subroutine chains(n, x, y)
    integer, intent(in) :: n
    double precision, intent(in) :: x(n)
    double precision, intent(out) :: y
    double precision, allocatable :: c(:)
    integer :: k
    c = times(x, x(2))
    do k = 1, 2
      c = times(c(1:n), sum(outer(x, c)))
      y = sum(outer(times(x, 0.1d0), c)) + c(2)
      c = c*y/(1 + y*y)
    end do
    y = y + sum(times(times(x, 2d0), c(1))) + sum(products_of(sin(x)))
  end subroutine
end module
