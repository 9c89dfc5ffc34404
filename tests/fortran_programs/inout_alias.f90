! Statements whose sides share variables.
! head: f(x,a)/(x,a)
! args: n=4, x, a(4)
subroutine f(n, x, a)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: x, a(n)
  integer :: i, j
  x = x*a(1)
  j = 2
  a(j) = a(1)*a(j)
  do i = 2, n
    a(i) = a(i)*a(i-1) + x
    x = x + a(i)*x
    j = n - i + 1
    a(j) = a(j) + a(i)**2
  end do
  x = a(j)
  a(j) = 0
  a = a*x
  a = a(n)*a
end subroutine f
