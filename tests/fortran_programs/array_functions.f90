! Functions whose results are arrays, internal, of modules, with RESULT and automatic shapes.
! head: euler(y)/(y,p)
! use: arrayfun
! args: n=3, steps=4, h=0.1d0, y(3), p(2)
! head: chain(s)/(x)
! use: arrayfun
! args: x(4), s
module arrayfun
  implicit none
  integer, parameter :: dp = selected_real_kind(15, 307)
contains
  function rhs(n, y, p) result(f)
    integer, intent(in) :: n
    real(dp), intent(in) :: y(n), p(2)
    real(dp) :: f(n)
    f(1) = -p(1)*y(1) + p(2)*y(2)*y(3)
    f(2) = p(1)*y(1) - p(2)*y(2)*y(3) - y(2)**2
    f(3) = y(2)**2
  end function rhs

  pure function cross(a, b) result(c)
    real(dp), intent(in) :: a(3), b(3)
    real(dp) :: c(3)
    c(1) = a(2)*b(3) - a(3)*b(2)
    c(2) = a(3)*b(1) - a(1)*b(3)
    c(3) = a(1)*b(2) - a(2)*b(1)
  end function cross

  pure function scaled(a, s) result(c)
    real(dp), intent(in) :: a(:), s
    real(dp) :: c(size(a))
    c = a*s + 1
  end function scaled

  subroutine euler(n, steps, h, y, p)
    integer, intent(in) :: n, steps
    real(dp), intent(in) :: h, p(2)
    real(dp), intent(inout) :: y(n)
    real(dp) :: k1(n), k2(n)
    integer :: i
    do i = 1, steps
      k1 = rhs(n, y, p)
      k2 = rhs(n, y + h/2*k1, p)
      y = y + h*k2 + 1e-3_dp*cross(y, rhs(n, k1, p))
    end do
  end subroutine euler

  subroutine chain(x, s)
    real(dp), intent(in) :: x(4)
    real(dp), intent(out) :: s
    s = sum(scaled(x, x(1))) + dot_product(scaled(x(2:4), 2.0_dp), cross(x(1:3), x(2:4))) + norm2(poly(x(3)))
  contains
    function poly(t) result(v)
      real(dp), intent(in) :: t
      real(dp) :: v(0:2)
      v(0) = 1
      v(1) = t*x(2)
      v(2) = t**2
    end function poly
  end subroutine chain
end module arrayfun
