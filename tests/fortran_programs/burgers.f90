! Burgers with upwinding by the sign of the velocity.
! head: burgers(cost)/(u0)
! args: n=6, nt=3, u0(6)=[0.5d0,-0.3d0,0.8d0,0.2d0,-0.6d0,0.4d0], cost
subroutine burgers(n, nt, u0, cost)
  implicit none
  integer, intent(in) :: n, nt
  real(8), intent(in) :: u0(n)
  real(8), intent(out) :: cost
  real(8) :: u(0:n+1), new(n)
  integer :: i, it
  u(1:n) = u0
  do it = 1, nt
    u(0) = u(n)
    u(n+1) = u(1)
    do i = 1, n
      if (u(i) >= 0) then
        new(i) = u(i) - 0.1d0*u(i)*(u(i) - u(i-1))
      else
        new(i) = u(i) - 0.1d0*u(i)*(u(i+1) - u(i))
      end if
      new(i) = new(i) + 0.02d0*(u(i+1) - 2*u(i) + u(i-1))
    end do
    u(1:n) = new
  end do
  cost = 0.5d0*sum(u(1:n)**2)
end subroutine burgers
