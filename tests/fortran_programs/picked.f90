! Elements that a vector of subscripts picks out, handed to procedures.
! head: f(y)/(x)
! use: picked
! args: x(4), y
module picked
  implicit none
contains
  real(8) function total(a)
    real(8), intent(in) :: a(:)
    total = sum(a**2)
  end function total
  subroutine add(n, a, s)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8), intent(inout) :: s
    s = s + sum(a**3)*s
  end subroutine add
  subroutine f(x, y)
    real(8), intent(in) :: x(4)
    real(8), intent(out) :: y
    integer :: v(3)
    v = [4, 2, 4]
    y = total(x(v))
    v(2) = 3
    call add(3, x(v), y)
    call add(2, x(v(1:2))*x(v(2:3)), y)
  end subroutine f
end module picked
