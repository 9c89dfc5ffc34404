! Newton's method for a system: the residual is an internal procedure with an optional Jacobian.
! head: newt(x)/(c)
! use: newton_internal
! args: c(3), x(2)
module newton_internal
  implicit none
  abstract interface
    subroutine residual(x, r, jac)
      real(8), intent(in) :: x(:)
      real(8), intent(out) :: r(:)
      real(8), intent(out), optional :: jac(:,:)
    end subroutine
  end interface
contains
  subroutine solve2(a, b)
    real(8), intent(in) :: a(2,2)
    real(8), intent(inout) :: b(2)
    real(8) :: det
    det = a(1,1)*a(2,2) - a(1,2)*a(2,1)
    b = [a(2,2)*b(1) - a(1,2)*b(2), a(1,1)*b(2) - a(2,1)*b(1)]/det
  end subroutine
  subroutine newton(f, x, tol, it)
    procedure(residual) :: f
    real(8), intent(inout) :: x(:)
    real(8), intent(in) :: tol
    integer, intent(out) :: it
    real(8) :: r(size(x)), j(size(x), size(x)), a
    it = 0
    do
      call f(x, r, j)
      if (maxval(abs(r)) < tol .or. it >= 30) exit
      call solve2(j, r)
      a = 1
      do while (a > 0.01d0)
        x = x - a*r
        exit
      end do
      it = it + 1
    end do
  end subroutine
  subroutine newt(c, x)
    real(8), intent(in) :: c(3)
    real(8), intent(out) :: x(2)
    integer :: it
    x = [1d0, 2d0]
    call newton(f, x, 1d-13, it)
  contains
    subroutine f(x, r, jac)
      real(8), intent(in) :: x(:)
      real(8), intent(out) :: r(:)
      real(8), intent(out), optional :: jac(:,:)
      r(1) = x(1)**2 + c(1)*x(2) - 3
      r(2) = x(1)*x(2)*c(2) - c(3)
      if (present(jac)) then
        jac(1,:) = [2*x(1), c(1)]
        jac(2,:) = [x(2)*c(2), x(1)*c(2)]
      end if
    end subroutine
  end subroutine
end module
