! head: run(y)/(y,p)
! use: lorenz
! args: y(3)~, p(3), n=2
module kinds
  implicit none
  integer, parameter :: dp = kind(1d0)
end module
module ode_solver
  use kinds
  implicit none
  private
  public :: rk2_step, norm
  abstract interface
    subroutine rhs_fun(t, y, f)
      import dp
      real(dp), intent(in) :: t, y(:)
      real(dp), intent(out) :: f(:)
    end subroutine
  end interface
contains
  function norm(v) result(r)
    real(dp), intent(in) :: v(:)
    real(dp) :: r
    r = sqrt(sum(v*v) + 1.0_dp)
  end function
  subroutine rk2_step(rhs, t, dt, y)
    procedure(rhs_fun) :: rhs
    real(dp), intent(inout) :: t, y(:)
    real(dp), intent(in) :: dt
    real(dp) :: k1(size(y)), k2(size(y))
    call rhs(t, y, k1)
    call rhs(t + 0.5_dp*dt, y + 0.5_dp*dt*k1, k2)
    y = y + dt*k2/norm(k2)
    t = t + dt
  end subroutine
end module
module lorenz
  use kinds, only: dp
  use ode_solver, only: rk2_step
  implicit none
  real(dp) :: sigma, rho, beta
contains
  subroutine lorenz_rhs(t, y, f)
    real(dp), intent(in) :: t, y(:)
    real(dp), intent(out) :: f(:)
    f(1) = sigma*(y(2) - y(1))
    f(2) = y(1)*(rho - y(3)) - y(2)
    f(3) = y(1)*y(2) - beta*y(3) + t
  end subroutine
  subroutine run(y, p, n)
    real(dp), intent(inout) :: y(3)
    real(dp), intent(in) :: p(3)
    integer, intent(in) :: n
    real(dp) :: t
    integer :: i
    sigma = p(1); rho = p(2); beta = p(3)
    t = 0
    do i = 1, n
      call rk2_step(lorenz_rhs, t, 0.01_dp, y)
    end do
  end subroutine
end module
