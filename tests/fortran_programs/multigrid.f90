! head: solve(u)/(f)
! use: multigrid
! args: n=9, f(9), u(9)
module multigrid
  implicit none
  integer, parameter :: r8 = selected_real_kind(12)
contains
  recursive subroutine vcycle(n, u, f, h)
    integer, intent(in) :: n
    real(r8), intent(inout) :: u(n)
    real(r8), intent(in) :: f(n), h
    real(r8), allocatable :: r(:), rc(:), ec(:)
    integer :: nc, i, it
    if (n <= 3) then
      u(2) = 0.5_r8*(u(1) + u(3) + h*h*f(2))
      return
    end if
    do it = 1, 2
      do i = 2, n - 1
        u(i) = 0.5_r8*(u(i-1) + u(i+1) + h**2*f(i))
      end do
    end do
    allocate(r(n), source=0.0_r8)
    r(2:n-1) = f(2:n-1) + (u(1:n-2) - 2*u(2:n-1) + u(3:n))/h**2
    nc = (n + 1)/2
    allocate(rc(nc), ec(nc))
    ec = 0
    rc(1) = r(1); rc(nc) = r(n)
    rc(2:nc-1) = 0.25_r8*(r(2:n-3:2) + 2*r(3:n-2:2) + r(4:n-1:2))
    call vcycle(nc, ec, rc, 2*h)
    u(1:n:2) = u(1:n:2) + ec
    u(2:n-1:2) = u(2:n-1:2) + 0.5_r8*(ec(1:nc-1) + ec(2:nc))
    do i = n - 1, 2, -1
      u(i) = 0.5_r8*(u(i-1) + u(i+1) + h**2*f(i))
    end do
    deallocate(r, rc, ec)
  end subroutine vcycle

  subroutine solve(n, f, u)
    integer, intent(in) :: n
    real(r8), intent(in) :: f(n)
    real(r8), intent(out) :: u(n)
    integer :: k
    u = 0
    do k = 1, 2
      call vcycle(n, u, f, 1.0_r8/(n - 1))
    end do
  end subroutine solve
end module multigrid
