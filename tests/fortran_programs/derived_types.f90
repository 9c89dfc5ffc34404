! head: f(y)/(x)
! use: tm
! args: n=5, x(5)=[0.9d0,-0.4d0,1.7d0,0.3d0,2.1d0], y
module tm
  implicit none
  type point
    real(8) :: x, y
  end type
  type block_
    real(8) :: x, v(2)
  end type
contains
  subroutine f(n, x, y)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8), intent(out) :: y
    type(point) :: p, q
    type(block_) :: b(3)
    integer :: i
    p%x = x(1)
    p%y = x(2)*p%x
    q = p
    p = point(q%y, q%x)
    p = point(p%y, p%x*p%y)
    y = q%x**2 + q%y + p%x*p%y
    do i = 1, 3
      b(i)%x = x(i)
      b(i)%v = x(i)*x(4:5)
    end do
    do i = 1, 3
      y = y + b(i)%x*sum(b(i)%v)
    end do
    y = y + sum(b%x**2) + sum(b(2:3)%v(1))
  end subroutine f
end module tm
