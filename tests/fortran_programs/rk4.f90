! A Runge-Kutta step with a right-hand side in the same module.
! head: integrate(y)/(y,p)
! use: rk
! args: y(3), p(2), steps=4, dt=0.1d0
module rk
  implicit none
  integer, parameter :: wp = kind(1.0d0)
  private
  public :: integrate
contains
  subroutine rhs(t, y, p, dy)
    real(wp), intent(in) :: t, y(:), p(2)
    real(wp), intent(out) :: dy(:)
    dy(1) = p(1)*(y(2) - y(1)) + t
    dy(2) = y(1)*(p(2) - y(3)) - y(2)
    dy(3) = y(1)*y(2) - y(3)
  end subroutine rhs
  subroutine integrate(y, p, steps, dt)
    real(wp), intent(inout) :: y(3)
    real(wp), intent(in) :: p(2)
    integer, intent(in) :: steps
    real(wp), intent(in) :: dt
    real(wp), dimension(3) :: k1, k2, k3, k4
    real(wp) :: t
    integer :: i
    t = 0.0_wp
    do i = 1, steps
      call rhs(t, y, p, k1)
      call rhs(t + dt/2, y + dt/2*k1, p, k2)
      call rhs(t + dt/2, y + dt/2*k2, p, k3)
      call rhs(t + dt, y + dt*k3, p, k4)
      y = y + dt/6*(k1 + 2*k2 + 2*k3 + k4)
      t = t + dt
    end do
  end subroutine integrate
end module rk
