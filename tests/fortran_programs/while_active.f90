! Loops whose conditions are active; nested; data kept from round to round.
! head: f(y,n)/(x)
! args: x(3)=[0.9d0,0.4d0,1.3d0], y, n
subroutine f(x, y, n)
  implicit none
  real(8), intent(in) :: x(3)
  real(8), intent(out) :: y, n
  real(8) :: s, old
  integer :: k(0:3), c
  y = x(1)
  n = x(3)
  s = x(2)
  c = 0
  k = 0
  do while (y < 6d0)
    old = y
    s = s*1.3d0 + 0.1d0*x(3)
    do
      y = y + s*x(1)
      k(mod(c, 4)) = k(mod(c, 4)) + 1
      c = c + k(mod(c, 4))
      if (y > old + 0.9d0) exit
      if (c > 30) return
    end do
    y = y + 0.01d0*old*k(mod(c, 4))
  end do
  n = s*y
end subroutine f
