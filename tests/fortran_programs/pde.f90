! Semi-implicit advection-diffusion and a two-dimensional multigrid-like smoother with ghost cells.
! head: advance(u)/(u,kappa,c)
! use: advdiff
! args: n=8, nsteps=3, dx=0.1d0, dt=0.004d0, kappa, c, u(0:9)=[0.31d0,0.74d0,1.52d0,1.71d0,1.23d0,0.35d0,0.52d0,0.93d0,1.87d0,0.66d0]
! head: smooth(phi,res)/(rhs,phi)
! use: advdiff
! args: nx=4, ny=3, h=0.25d0, sweeps=2, rhs(4,3), phi(6,5), res
module advdiff
  use, intrinsic :: iso_fortran_env, only: dp => real64
  implicit none
  enum, bind(c)
    enumerator :: upwind = 1, central
  end enum
contains
  subroutine boundary(u)
    real(dp), contiguous, intent(inout) :: u(0:)
    integer :: m
    m = ubound(u, 1)
    u(0) = u(m-1)
    u(m) = u(1)
  end subroutine boundary

  pure subroutine limiter(r, phi)
    real(dp), intent(in) :: r
    real(dp), intent(out) :: phi
    phi = max(0.0_dp, min(1.0_dp, 2*r), min(2.0_dp, r))
  end subroutine limiter

  subroutine advance(n, nsteps, dx, dt, kappa, c, u)
    integer, intent(in) :: n, nsteps
    real(dp), intent(in) :: dx, dt, kappa, c
    real(dp), intent(inout) :: u(0:n+1)
    real(dp) :: f(0:n), r, phi, du
    integer :: i, it, scheme
    scheme = central
    do it = 1, nsteps
      call boundary(u)
      do i = 0, n
        du = u(i+1) - u(i)
        if (scheme /= upwind .and. abs(du) > 1e-12_dp .and. i > 0) then
          r = (u(i) - u(i-1))/du
          call limiter(r, phi)
        else
          phi = 0
        end if
        f(i) = c*u(i) + 0.5_dp*c*(1 - c*dt/dx)*phi*du - kappa*du/dx
      end do
      forall (i = 1:n) u(i) = u(i) - dt/dx*(f(i) - f(i-1))
    end do
  end subroutine advance

  subroutine smooth(nx, ny, h, sweeps, rhs, phi, res)
    integer, intent(in) :: nx, ny, sweeps
    real(dp), intent(in) :: h, rhs(nx, ny)
    real(dp), intent(inout) :: phi(0:nx+1, 0:ny+1)
    real(dp), intent(out) :: res
    integer :: i, j, s, colour
    do s = 1, sweeps
      do colour = 0, 1
        do j = 1, ny
          do i = 1 + mod(j + colour, 2), nx, 2
            phi(i, j) = 0.25_dp*(phi(i-1, j) + phi(i+1, j) + phi(i, j-1) + phi(i, j+1) - h*h*rhs(i, j))
          end do
        end do
      end do
    end do
    res = sqrt(sum(((phi(0:nx-1, 1:ny) + phi(2:nx+1, 1:ny) + phi(1:nx, 0:ny-1) + phi(1:nx, 2:ny+1) &
      - 4*phi(1:nx, 1:ny))/h**2 - rhs)**2))
  end subroutine smooth
end module advdiff
