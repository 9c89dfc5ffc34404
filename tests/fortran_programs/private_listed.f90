! What a module says is private, and code outside of it needs: work arrays that a call changes, specific procedures of a generic name.
! head: both(q)/(x)
! use: smoothing
! args: n=3, x(3), q
module tridiagonal
  implicit none
  real(8), private, dimension(10) :: ru, qu
  private :: solve_one, &
    solve_scaled
  interface solve
    module procedure solve_one, solve_scaled
  end interface
contains
  subroutine solve_one(n, a, b, c, d, v)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n), b(n), c(n), d(n)
    real(8), intent(out) :: v(n)
    integer :: i
    ru(n) = a(n)/b(n)
    qu(n) = d(n)/b(n)
    do i = n - 1, 1, -1
      ru(i) = a(i)/(b(i) - c(i)*ru(i + 1))
      qu(i) = (d(i) - c(i)*qu(i + 1))/(b(i) - c(i)*ru(i + 1))
    end do
    v(1) = qu(1)
    do i = 2, n
      v(i) = qu(i) - ru(i)*v(i - 1)
    end do
  end subroutine
  subroutine solve_scaled(n, s, b, d, v)
    integer, intent(in) :: n
    real(8), intent(in) :: s, b(n), d(n)
    real(8), intent(out) :: v(n)
    real(8) :: a(n)
    a = -s
    call solve_one(n, a, b, a, d, v)
  end subroutine
end module
module smoothing
  use tridiagonal, only: solve
  implicit none
contains
  subroutine smooth(n, x, y)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8), intent(out) :: y(n)
    real(8) :: a(n), b(n), t(n)
    a = -0.3d0*x
    b = 2 + x**2
    t = sin(x)
    call solve(n, a, b, a, t, y)
    call solve(n, 0.1d0, b, y*x, t)
    y = y*t
  end subroutine
  subroutine both(n, x, q)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8), intent(out) :: q
    real(8) :: y(n)
    call smooth(n, x, y)
    q = sum(y*x)
  end subroutine
end module
