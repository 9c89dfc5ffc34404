! Upwind advection with limiters: SELECT CASE in an elemental function, WHERE, module state with SAVE.
! head: advect(q)/(q,u)
! use: advection
! args: n=8, steps=3, u(8), q(8)~, lim=1
! head: advect(q)/(q,u)
! use: advection
! args: n=8, steps=2, u(8), q(8)~, lim=2
! head: advect(q)/(q,u)
! use: advection
! args: n=8, steps=2, u(8), q(8)~, lim=3
module advection
  implicit none
  real(8), save, private :: cfl = 0.3d0
contains
  elemental function limiter(r, kind_of) result(phi)
    real(8), intent(in) :: r
    integer, intent(in) :: kind_of
    real(8) :: phi
    select case (kind_of)
    case (1)
      phi = max(0d0, min(1d0, r))
    case (2)
      phi = (r + abs(r))/(1 + abs(r))
    case default
      phi = max(0d0, min(2*r, 1d0), min(r, 2d0))
    end select
  end function
  subroutine advect(n, steps, u, q, lim)
    integer, intent(in) :: n, steps, lim
    real(8), intent(in) :: u(n)
    real(8), intent(inout) :: q(n)
    real(8) :: f(0:n), d(0:n), r(n)
    integer :: i, s
    ! Slopes that differ: limiters have kinks where they do not.
    q = q + [(0.2d0*sin(1.7d0*i*i), i=1, n)]
    do s = 1, steps
      d(1:n-1) = q(2:n) - q(1:n-1)
      d(0) = q(1) - q(n)
      d(n) = d(0)
      where (abs(d(1:n)) > 1d-10)
        r = d(0:n-1)/d(1:n)
      elsewhere
        r = 1
      end where
      do i = 1, n
        f(i) = u(i)*(q(i) + 0.5d0*(1 - cfl)*limiter(r(i), lim)*d(i))
      end do
      f(0) = f(n)
      q = q - cfl*(f(1:n) - f(0:n-1))
    end do
  end subroutine
end module
