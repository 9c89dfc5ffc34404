! Internal procedures, with and without active host variables.
! head: f(y)/(x)
! args: n=4, x(4), y
! head: g(x)/(x)
! args: x(3)
subroutine f(n, x, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y
  real(8) :: acc
  integer :: i
  acc = 1
  do i = 1, n
    call step(x(i))
  end do
  y = acc + shifted(acc) + passive(n)
contains
  subroutine step(a)
    real(8), intent(in) :: a
    acc = acc*a + sin(acc)
  end subroutine step
  function shifted(b) result(r)
    real(8), intent(in) :: b
    real(8) :: r
    r = b*b*x(1)
  end function shifted
  integer function passive(k)
    integer, intent(in) :: k
    passive = 2*k
  end function passive
end subroutine f

subroutine g(x)
  implicit none
  real(8), intent(inout) :: x(3)
  integer :: k
  do k = 1, 2
    call rotate
  end do
contains
  subroutine rotate
    real(8) :: t
    t = x(1)
    x(1) = x(2)*t
    x(2) = x(3)
    x(3) = t
  end subroutine rotate
end subroutine g
