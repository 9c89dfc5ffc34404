! BLOCK with locals of its own, ASSOCIATE with elements, sections and expressions, named loops.
! head: blocks(y)/(x)
! args: n=5, x(5), y
! head: constants_of_blocks(y)/(x)
! args: x(3), y
subroutine blocks(n, x, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y
  integer :: i, j
  real(8) :: t(8)
  y = 0
  t(:n) = x
  t(n + 1:) = 0
  outer: do i = 1, n
    block
      real(8) :: s
      integer :: j
      s = x(i)**2
      j = i + 1
      if (j > n) exit outer
      t(j) = t(j) + s
      y = y + s*t(j)
    end block
    inner: do j = 1, n
      if (j == i) cycle outer
      if (j > 3) exit inner
      y = y + x(j)*x(i)
    end do inner
  end do outer
  associate (first => t(1), tail => t(2:n), scale => 2*x(1) + 1)
    first = first*scale
    tail = tail + first
    y = y + sum(tail)*scale + tail(2)
  end associate
end subroutine blocks
subroutine constants_of_blocks(x, y)
  implicit none
  real(8), intent(in) :: x(3)
  real(8), intent(out) :: y
  integer, parameter :: m = 1
  integer :: i
  y = 0
  do i = 1, 3
    block
      integer, parameter :: m = 3, half = m - 1
      real(8), parameter :: c = 0.5d0*half
      real(8) :: w(m)
      integer :: k
      w = [(x(i)**k, k=1, m)]
      y = y + c*w(m)*w(half)
    end block
    block
      real(8), parameter :: c = 3
      integer, parameter :: m = 2
      real(8) :: w(m, m)
      w = c*x(i)
      y = y*w(m, 1)
    end block
  end do
  y = y*m*x(m)
end subroutine constants_of_blocks
