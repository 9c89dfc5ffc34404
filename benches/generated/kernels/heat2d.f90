! Explicit steps of heat conduction on a grid with a conductivity at each point; the boundary keeps its temperature.
subroutine heat2d(nx, ny, steps, r, kappa, u)
  implicit none
  integer, intent(in) :: nx, ny, steps
  double precision, intent(in) :: r, kappa(ny, nx)
  double precision, intent(inout) :: u(ny, nx)
  double precision :: fi(ny - 1, nx), fj(ny, nx - 1)
  integer :: t
  do t = 1, steps
    fi = 0.5d0*(kappa(2:ny, :) + kappa(1:ny - 1, :))*(u(2:ny, :) - u(1:ny - 1, :))
    fj = 0.5d0*(kappa(:, 2:nx) + kappa(:, 1:nx - 1))*(u(:, 2:nx) - u(:, 1:nx - 1))
    u(2:ny - 1, 2:nx - 1) = u(2:ny - 1, 2:nx - 1) + r*(fi(2:ny - 1, 2:nx - 1) - fi(1:ny - 2, 2:nx - 1) &
                            + fj(2:ny - 1, 2:nx - 1) - fj(2:ny - 1, 1:nx - 2))
  end do
end subroutine heat2d
