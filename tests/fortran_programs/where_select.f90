! WHERE in its forms.
! head: f(z)/(x,y)
! args: n=6, x(6), y(6), z(6)
subroutine f(n, x, y, z)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n), y(n)
  real(8), intent(out) :: z(n)
  z = x*y
  where (x > 0.6d0) z = z*z
  where (y > 0.5d0)
    z = z + sin(x)
  elsewhere (x > 0.8d0)
    z = z - x**2
  elsewhere
    z = 2*z
  end where
  z = merge(x, z, x > y)
end subroutine f
