! head: f(y)/(x)
! use: left_below
! args: n=5, x(5), y~
! Units below the head that leave work arrays allocated on some ways or on all: the language frees them.
module left_below
  implicit none
contains
  subroutine f(n, x, y)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8), intent(inout) :: y
    call sometimes(n, x, y, 0)
    call sometimes(n, x, y, 1)
    call never(n - 1, x, y)
    call by_goto(n, x, y)
    y = y*sin(y)
  end subroutine

  subroutine sometimes(n, x, y, k)
    integer, intent(in) :: n, k
    real(8), intent(in) :: x(n)
    real(8), intent(inout) :: y
    real(8), allocatable :: t(:)
    integer :: i
    allocate (t(n))
    do i = 1, n
      t(i) = x(i)*x(i)
    end do
    y = y*x(1) + t(2)
    if (k < 1) return
    do i = 1, n
      y = y + 0.1d0*sin(t(i))*y
    end do
    deallocate (t)
  end subroutine

  subroutine never(n, x, y)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8), intent(inout) :: y
    real(8), allocatable :: t(:), u(:, :)
    integer :: i, m
    m = n
    allocate (t(m))
    do i = 1, m
      t(i) = x(i)*y
    end do
    if (m > 2) then
      allocate (u(m, 0:1))
      u(:, 0) = t*x(1)
      u(:, 1) = u(:, 0)*t
      t(2) = u(1, 1)*u(3, 0)
    end if
    m = 2
    y = t(m)*t(1) + y
  end subroutine

  subroutine by_goto(n, x, y)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8), intent(inout) :: y
    real(8), allocatable :: t(:)
    integer :: i
    allocate (t(n))
    t = x*x(2)
    i = 0
10  i = i + 1
    y = y + t(i)*t(1)*y
    t(i) = sin(y)
    if (y > 50d0) return
    if (i < n) goto 10
    y = y*t(n)
    deallocate (t)
  end subroutine
end module
