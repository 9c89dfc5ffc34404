! Newton for a system with a small solver, everything in one module with a PARAMETER size.
! head: solve(x)/(p,x)
! use: eqs
! args: p(2)=[1.2d0,0.7d0], x(2)=[1.1d0,0.8d0], iterations=0
module eqs
  implicit none
  integer, parameter :: dp = kind(1d0), n = 2
contains
  subroutine residual(x, p, r, jac)
    real(dp), intent(in) :: x(n), p(n)
    real(dp), intent(out) :: r(n), jac(n, n)
    r = [x(1)**2 + x(2) - p(1) - 1, x(1) - x(2)**3 - p(2) + 0.3_dp]
    jac(1, 1) = 2*x(1)
    jac(1, 2) = 1
    jac(2, 1) = 1
    jac(2, 2) = -3*x(2)**2
  end subroutine residual
  subroutine solve(p, x, iterations)
    real(dp), intent(in) :: p(n)
    real(dp), intent(inout) :: x(n)
    integer, intent(out) :: iterations
    real(dp) :: r(n), jac(n, n), det, dx(n)
    iterations = 0
    do
      call residual(x, p, r, jac)
      det = jac(1, 1)*jac(2, 2) - jac(1, 2)*jac(2, 1)
      dx(1) = (r(1)*jac(2, 2) - r(2)*jac(1, 2))/det
      dx(2) = (r(2)*jac(1, 1) - r(1)*jac(2, 1))/det
      x = x - dx
      iterations = iterations + 1
      if (maxval(abs(dx)) < 1e-3_dp .or. iterations >= 20) exit
    end do
  end subroutine solve
end module eqs
