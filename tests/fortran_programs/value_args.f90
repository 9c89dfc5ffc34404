! VALUE arguments, expressions as actual arguments, functions with several results.
! head: f(y)/(x)
! use: va
! args: x(2), y
module va
  implicit none
contains
  subroutine mix(a, b, c)
    real(8), value :: a
    real(8), intent(in) :: b
    real(8), intent(out) :: c
    a = a*b
    c = a + sin(a)
  end subroutine mix
  real(8) function both(a, other)
    real(8), intent(in) :: a
    real(8), intent(out) :: other
    other = a*a
    both = cos(a)
  end function both
  subroutine f(x, y)
    real(8), intent(in) :: x(2)
    real(8), intent(out) :: y
    real(8) :: t, u
    call mix(x(1)*x(2), x(1) + 1, t)
    call mix(t, 2d0, u)
    y = both(t*u, t)
    y = y*t + both((x(2)), u)*u
  end subroutine f
end module va
