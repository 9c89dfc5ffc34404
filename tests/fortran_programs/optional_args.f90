! Optional and keyword arguments.
! head: f(y)/(x,s)
! use: o
! args: x(3), y, s
! head: g(y)/(x)
! use: o
! args: x(3), y
module o
  implicit none
contains
  subroutine f(x, y, s)
    real(8), intent(in) :: x(:)
    real(8), intent(out) :: y
    real(8), intent(in), optional :: s
    real(8) :: factor
    factor = 1
    if (present(s)) factor = s*s
    y = factor*sum(x**2)
    call add(y, by=x(1), times=2)
    call add(y, times=3, by=x(2)*factor)
    call add(v=y)
  end subroutine f
  subroutine add(v, times, by)
    real(8), intent(inout) :: v
    integer, intent(in), optional :: times
    real(8), intent(in), optional :: by
    if (present(by)) v = v + by**2
    if (present(times)) v = v*times
    v = sin(v)
  end subroutine add
  subroutine g(x, y)
    real(8), intent(in) :: x(:)
    real(8), intent(out) :: y
    call f(x, y)
    y = y*x(2)
  end subroutine g
end module o
