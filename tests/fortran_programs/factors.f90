! Factors of one adjoint that are added up, records that are read in the order of memory, and what must stay as it is: integers and quotients.
! head: f(y)/(x,c)
! args: n=7, k=3, x(7), c(2), y
subroutine f(n, k, x, c, y)
  implicit none
  integer, intent(in) :: n, k
  real(8), intent(in) :: x(n), c(2)
  real(8), intent(out) :: y
  real(8) :: u(n), v(n)
  integer :: i, t
  u = x
  v = 0
  do t = 1, k
    do i = 2, n - 1
      v(i) = u(i) - c(1)*u(i)*(u(i) - u(i - 1)) + c(2)*(u(i + 1) - 2*u(i) + u(i - 1)) - 0.1*u(i)*k + k*k*u(i)/20
    end do
    do i = 2, n - 1
      u(i) = 0.5d0*v(i)
    end do
    do i = 2, n - 1
      u(i) = u(i) - 0.1d0*u(i - 1)*u(i) + 0.2d0*u(i)*u(i + 1)
    end do
  end do
  y = 0
  do i = 1, n
    y = y + u(i)/(1 + x(i)) - x(i)/(2 + u(i)) + 2*(x(i)*u(i) - 3*x(i))*0.25d0
  end do
end subroutine f
