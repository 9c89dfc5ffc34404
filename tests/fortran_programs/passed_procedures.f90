! head: both(r)/(a,b)
! use: quadrature
! args: a=0.2d0, b=1.4d0, r
! head: twice(r)/(x)
! use: quadrature
! args: x=0.3d0, r
module quadrature
  implicit none
  private
  public :: both, twice
  integer, parameter :: wp = kind(1.0d0)
  abstract interface
    pure function integrand(x) result(y)
      import wp
      real(wp), intent(in) :: x
      real(wp) :: y
    end function integrand
    subroutine operator_(n, v, w)
      import wp
      integer, intent(in) :: n
      real(wp), intent(in) :: v(n)
      real(wp), intent(out) :: w(n)
    end subroutine operator_
  end interface
contains
  pure function f1(x) result(y)
    real(wp), intent(in) :: x
    real(wp) :: y
    y = sin(x)*x
  end function f1
  pure function f2(x) result(y)
    real(wp), intent(in) :: x
    real(wp) :: y
    y = exp(-x**2)
  end function f2
  !> Composite Simpson rule.
  pure function simpson(f, a, b, n) result(s)
    procedure(integrand) :: f
    real(wp), intent(in) :: a, b
    integer, intent(in) :: n
    real(wp) :: s, h
    integer :: i
    h = (b - a)/n
    s = f(a) + f(b)
    do i = 1, n - 1
      s = s + merge(4, 2, mod(i, 2) == 1)*f(a + i*h)
    end do
    s = s*h/3
  end function simpson
  function refined(g, a, b) result(s)
    procedure(integrand) :: g
    real(wp), intent(in) :: a, b
    real(wp) :: s, coarse, fine
    coarse = simpson(g, a, b, n=4)
    fine = simpson(g, a, b, n=8)
    s = fine + (fine - coarse)/15
  end function refined
  subroutine both(a, b, r)
    real(wp), intent(in) :: a, b
    real(wp), intent(out) :: r
    real(wp) :: c
    c = simpson(f1, 0.0_wp, 1.0_wp, 6)
    r = refined(f1, a, b)*refined(a=a, b=c*b, g=f2) + simpson(f=f2, a=a, b=b, n=2)
  end subroutine both
  subroutine laplace(n, v, w)
    integer, intent(in) :: n
    real(wp), intent(in) :: v(n)
    real(wp), intent(out) :: w(n)
    integer :: i
    w = 2*v
    do i = 2, n
      w(i) = w(i) - v(i-1)**2
    end do
  end subroutine laplace
  subroutine power(op, n, v, steps)
    procedure(operator_) :: op
    integer, intent(in) :: n, steps
    real(wp), intent(inout) :: v(n)
    real(wp) :: w(n)
    integer :: k
    do k = 1, steps
      call op(n, v, w)
      v = w/norm2(w)
    end do
  end subroutine power
  subroutine twice(x, r)
    real(wp), intent(in) :: x
    real(wp), intent(out) :: r
    real(wp) :: v(3)
    v = [x, x**2, 1.0_wp]
    call power(laplace, 3, v, 3)
    r = sum(v*[1, 2, 3])
  end subroutine twice
end module quadrature
