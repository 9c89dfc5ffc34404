! Assumed shape with lower bounds, assumed size, array elements and sections as actual arguments.
! head: top(y)/(x)
! use: am
! args: n=3, x(3,3), y(3)
module am
  implicit none
contains
  subroutine shape(a, r)
    real(8), intent(in) :: a(0:, 2:)
    real(8), intent(inout) :: r(:)
    integer :: i
    do i = lbound(a, 1), ubound(a, 1)
      r(i + 1) = r(i + 1) + sum(a(i, :)**2)
    end do
  end subroutine shape
  subroutine size_star(m, v, s)
    integer, intent(in) :: m
    real(8), intent(inout) :: v(*)
    real(8), intent(out) :: s
    integer :: i
    s = 0
    do i = 1, m
      v(i) = v(i)*(i + v(1))
      s = s + v(i)
    end do
  end subroutine size_star
  subroutine top(n, x, y)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n, n)
    real(8), intent(out) :: y(n)
    real(8) :: w(n, n), s
    y = 0
    w = x
    call shape(x, y)
    call size_star(n, w(1, 2), s)
    y(1) = y(1)*s
    call shape(w(1:2, 2:3), y(2:3))
    call size_star(2, w(:, 3), s)
    y(3) = y(3) + w(2, 3)*s
    call shape(w(n:1:-1, :), y(n:1:-1))
  end subroutine top
end module am
