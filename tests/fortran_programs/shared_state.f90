! head: twice(y)/(x)
! use: shared
! args: n=3, x(3), y(3)
! head: once(y)/(x)
! use: shared
! args: n=3, x(3), y(3)
! head: hosted(y)/(x)
! use: shared
! args: n=3, x(3), y(3)
module shared
  implicit none
  real(8) :: field(3)
contains
  ! What is set to a constant is varied again inside: its derivative starts from zero every time.
  subroutine step(n, y, w)
    integer, intent(in) :: n
    real(8), intent(in) :: y(n)
    real(8), intent(inout) :: w(n)
    integer :: i
    do i = n - 1, 1, -1
      w(i) = w(i) + field(i)*w(i+1)
      field(i) = y(i) + field(i+1)*y(i+1)
      w(i+1) = w(i+1) + field(i)**2
    end do
  end subroutine step

  subroutine reset(c)
    real(8), intent(in) :: c
    field = c
  end subroutine reset

  subroutine twice(n, x, y)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8), intent(out) :: y(n)
    integer :: k
    y = 0.1d0
    do k = 1, 3
      field = 0.25d0*k
      call step(n, x, y)
    end do
    call reset(0.5d0)
    call step(n, x, y)
  end subroutine twice

  subroutine once(n, x, y)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8), intent(out) :: y(n)
    y = x(1)
    field = 0.25d0
    call step(n, x, y)
  end subroutine once

  subroutine hosted(n, x, y)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8), intent(out) :: y(n)
    real(8) :: state
    integer :: k
    do k = 1, n
      state = 1.5d0
      y(k) = x(k)
      call advance(k)
      call advance(n + 1 - k)
    end do
  contains
    subroutine advance(j)
      integer, intent(in) :: j
      y(k) = y(k)*state + x(j)
      state = x(j)**2
      y(k) = y(k) + state
    end subroutine advance
  end subroutine hosted
end module shared
