! WHERE in WHERE.
! head: f(y)/(x)
! args: x(4), y(4)
subroutine f(x, y)
  implicit none
  real(8), intent(in) :: x(4)
  real(8), intent(out) :: y(4)
  real(8) :: z(4)
  z = x - [0.1d0, 2d0, 0.3d0, 3d0]
  y = x
  where (z > 0)
    y = y*2
    where (z < 0.4d0)
      y = z**2*y
      where (y > 0.1d0) y = y + sin(z)
    elsewhere (z < 0.6d0)
      y = -z*y
    elsewhere
      y = z**3
    end where
    z = y
  elsewhere
    where (z > -1.8d0) y = y*z
  end where
  y = y*z
end subroutine f
