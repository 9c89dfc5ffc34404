! Values computed in branches and used behind them; early RETURN.
! head: f(y,z)/(x)
! args: x(3)=[0.6d0,0.2d0,0.9d0], y, z
subroutine f(x, y, z)
  implicit none
  real(8), intent(in) :: x(3)
  real(8), intent(out) :: y, z
  real(8) :: t
  integer :: i
  t = 1
  z = x(1)
  do i = 1, 3
    if (x(i) > 0.5d0) then
      t = t*x(i)
      if (t < 0.55d0) z = t*z
    elseif (x(i) > 0.1d0) then
      t = t + x(i)
    else
      t = 0
    endif
    t = t*t
  end do
  y = t
  if (y > 0.1d0) return
  y = y*z
end subroutine f
