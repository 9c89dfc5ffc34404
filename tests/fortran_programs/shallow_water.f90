! head: integrate(cost)/(h,u,v)
! use: swe
! args: nx=5, ny=4, nt=3, h(5,4), u(5,4), v(5,4), cost
module swe_params
  implicit none
  integer, parameter :: wp = selected_real_kind(15, 307)
  real(wp), parameter :: g = 9.81_wp, dx = 1.0_wp, dt = 0.01_wp
end module swe_params

module swe
  use swe_params, only: wp, grav => g, dx, dt
  implicit none
contains
  subroutine step(nx, ny, h, u, v)
    integer, intent(in) :: nx, ny
    real(wp), dimension(nx, ny), intent(inout) :: h, u, v
    real(wp), dimension(nx, ny) :: hn, un, vn
    integer :: i, j, ip, im, jp, jm
    do j = 1, ny
      jp = merge(1, j + 1, j == ny)
      jm = merge(ny, j - 1, j == 1)
      do i = 1, nx
        ip = i + 1; if (ip > nx) ip = 1
        im = i - 1; if (im < 1) im = nx
        hn(i, j) = h(i, j) - dt*((h(ip, j)*u(ip, j) - h(im, j)*u(im, j)) + (h(i, jp)*v(i, jp) - h(i, jm)*v(i, jm)))/(2*dx)
        un(i, j) = u(i, j) - dt*(u(i, j)*(u(ip, j) - u(im, j)) + v(i, j)*(u(i, jp) - u(i, jm)) + grav*(h(ip, j) - h(im, j)))/(2*dx)
        vn(i, j) = v(i, j) - dt*(u(i, j)*(v(ip, j) - v(im, j)) + v(i, j)*(v(i, jp) - v(i, jm)) + grav*(h(i, jp) - h(i, jm)))/(2*dx)
      end do
    end do
    h = hn
    u = un
    v = vn
  end subroutine step

  subroutine integrate(nx, ny, nt, h, u, v, cost)
    integer, intent(in) :: nx, ny, nt
    real(wp), intent(inout) :: h(nx, ny), u(nx, ny), v(nx, ny)
    real(wp), intent(out) :: cost
    integer :: it
    cost = 0
    do it = 1, nt
      call step(nx, ny, h, u, v)
      cost = cost + sum((h - 1)**2)*dx*dx
    end do
    cost = cost + 0.5_wp*sum(u*u + v*v)
  end subroutine integrate
end module swe
