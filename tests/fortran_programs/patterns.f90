! Helpers that are called with different arguments active: functions and subroutines of a module, external and internal ones.
! head: patterns(e,w)/(x,w)
! use: patterned
! args: n=4, w(4)~, x(4), e
module patterned
  implicit none
  private
  public :: patterns
  integer, parameter :: wp = kind(1d0)
  real(wp) :: level = 0.5_wp
contains
  pure function dot(a, b) result(s)
    real(wp), intent(in) :: a(:), b(:)
    real(wp) :: s
    integer :: i
    s = 0
    do i = 1, size(a)
      s = s + a(i) * b(i)
    end do
  end function dot

  !> Adds a multiple, or sets to it.
  subroutine axpy(f, u, v, keep)
    real(wp), intent(in) :: f, u(:)
    real(wp), intent(inout) :: v(:)
    logical, intent(in), optional :: keep
    real(wp) :: before(size(v))
    before = v
    if (present(keep)) then
      if (.not. keep) before = 0
    end if
    v = before + f * u * level
  end subroutine axpy

  subroutine set_level(to)
    real(wp), intent(in) :: to
    level = 0.5_wp + to
  end subroutine set_level

  subroutine patterns(n, w, x, e)
    integer, intent(in) :: n
    real(wp), intent(inout) :: w(n)
    real(wp), intent(in) :: x(n)
    real(wp), intent(out) :: e
    real(wp) :: t(n), c(n), q
    integer :: i
    c = [(real(i, wp), i = 1, n)]
    t = 1
    call set_level(0.25_wp)
    q = dot(c, x)
    call axpy(q, c, t)
    call axpy(2.0_wp, x, t, keep=.true.)
    call set_level(x(1))
    call axpy(dot(c, c), c, t)
    call axpy(2.0_wp, x, w, keep=.false.)
    e = dot(t, t) + dot(x, c) + powered(x(2), 2.0_wp) + powered(2.0_wp, x(3))
    w = w * powered(1.5_wp, 2.0_wp)
    e = e + w(1) * w(n)
  contains
    function powered(b, p) result(r)
      real(wp), intent(in) :: b, p
      real(wp) :: r
      r = q * b**p
    end function powered
  end subroutine patterns
end module patterned
