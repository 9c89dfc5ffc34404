! Assignments that allocate anew with another shape, and module arrays that are allocated where they are used.
! head: with_work(y)/(x)
! use: pool
! args: x(4), y
! head: shrink(y)/(x)
! use: pool
! args: n=5, x(5), y
! head: twice(y)/(x)
! use: pool
! args: n=5, x(5), y
! head: local_keep(y)/(x)
! use: pool
! args: n=5, x(5), y
module pool
  implicit none
  integer, parameter :: dp = kind(1d0)
  real(dp), allocatable :: work(:), old(:)
contains
  subroutine with_work(x, y)
    real(dp), intent(in) :: x(4)
    real(dp), intent(out) :: y
    if (.not. allocated(work)) allocate (work(size(x)))
    work = x*2
    y = sum(work**2)
  end subroutine with_work
  subroutine shrink(n, x, y)
    integer, intent(in) :: n
    real(dp), intent(in) :: x(n)
    real(dp), intent(out) :: y
    real(dp), allocatable :: v(:)
    integer :: k
    y = 0
    v = x**2
    do k = 1, n - 1
      y = y + sum(v**2)*v(1)
      v = v(2:)*v(:size(v) - 1)
    end do
    y = y + sum(v)
  end subroutine shrink
  subroutine twice(n, x, y)
    integer, intent(in) :: n
    real(dp), intent(in) :: x(n)
    real(dp), intent(out) :: y
    integer :: k
    y = 0
    do k = 1, n
      old = sin(x(1:k))
      if (k > 1) old = old(2:)*old(1)
      y = y + sum(old)
    end do
  end subroutine twice
  subroutine local_keep(n, x, y)
    integer, intent(in) :: n
    real(dp), intent(in) :: x(n)
    real(dp), intent(out) :: y
    real(dp), allocatable :: b(:)
    integer :: k
    y = 0
    do k = 1, n
      if (.not. allocated(b)) allocate (b(n))
      b(k) = x(k)**2
      if (k == 2) then
         y = y + b(1)*b(2)
         deallocate (b)
         allocate (b(2*n))
         b(1) = y
      end if
      if (k > 2) y = y + b(1)*b(k)
    end do
  end subroutine local_keep
end module pool
