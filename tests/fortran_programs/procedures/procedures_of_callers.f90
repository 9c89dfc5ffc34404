! Heads that get procedures from their callers.
module solvers
  implicit none
  integer, parameter, private :: wp = kind(1.0d0)
  abstract interface
    subroutine equations(n, x, f, iflag)
      import :: wp
      integer, intent(in) :: n
      real(wp), intent(in) :: x(n)
      real(wp), intent(out) :: f(n)
      integer, intent(inout) :: iflag
    end subroutine
    subroutine monitor(step, x)
      import :: wp
      integer, intent(in) :: step
      real(wp), intent(in) :: x(:)
    end subroutine
    subroutine shaped(x, f)
      import :: wp
      real(wp), intent(in) :: x(:)
      real(wp), intent(inout) :: f(:)
    end subroutine
  end interface
contains
  subroutine relaxed(fcn, n, x, steps)
    procedure(equations) :: fcn
    integer, intent(in) :: n, steps
    real(wp), intent(inout) :: x(n)
    real(wp) :: f(n)
    integer :: k, flag
    flag = 1
    do k = 1, steps
      call once(fcn, n, x, f, flag)
      if (flag < 0) return
      x = x - 0.5_wp*f
    end do
    call fcn(n, x, f, flag)
    x(2) = x(2)*f(1)
  end subroutine
  subroutine once(g, n, x, f, flag)
    procedure(equations) :: g
    integer, intent(in) :: n
    integer, intent(inout) :: flag
    real(wp), intent(inout) :: x(n)
    real(wp), intent(out) :: f(n)
    call g(n, x, f, flag)
    x(1) = x(1)*f(2)
    f(2) = f(2)**2 + x(1)
  end subroutine
  real(wp) function mean(f, a, b, n)
    interface
      pure function f(t) result(v)
        import :: wp
        real(wp), intent(in) :: t
        real(wp) :: v
      end function
    end interface
    real(wp), intent(in) :: a, b
    integer, intent(in) :: n
    integer :: i
    mean = 0
    do i = 1, n
      mean = mean + f(a + (b - a)*(i - 0.5_wp)/n)*f(b)
    end do
    mean = mean/n
  end function
  ! One that has derivatives, and one that only looks.
  subroutine watched(fcn, look, n, x, y)
    procedure(equations) :: fcn
    procedure(monitor) :: look
    integer, intent(in) :: n
    real(wp), intent(in) :: x(n)
    real(wp), intent(out) :: y(n)
    real(wp) :: passive(2)
    integer :: flag, i
    passive = [1.5_wp, 2.5_wp]
    flag = 0
    call look(0, passive)
    call fcn(n, x, y, flag)
    do i = 1, 2
      if (passive(i) > 0) y = y*x(i)
    end do
  end subroutine
  subroutine open_end(fcn, n, x, y)
    procedure(shaped) :: fcn
    integer, intent(in) :: n
    real(wp), intent(in) :: x(n)
    real(wp), intent(out) :: y(n)
    y = x**2
    call fcn(x, y)
    call fcn(y(1:n:2), y(2:n:2))
  end subroutine
end module solvers
