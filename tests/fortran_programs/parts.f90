! head: parts(y,z)/(x)
! args: n=5, x(8), y, z(5), work(40)
! head: turn(y)/(x)
! args: n=4, x(4), y
! Arrays of which some parts have derivatives and others have not: a work array of the caller's, columns, elements in turn, and local ones that are kept whole.
subroutine parts(n, x, y, z, work)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(8)
  real(8), intent(out) :: y, z(n)
  real(8), intent(inout) :: work(40)
  real(8) :: c(n, 2), w(6)
  integer :: i, k
  do i = 1, n
    work(i) = x(i)*x(1)
  end do
  do i = 21, 25
    work(i) = 0.1d0*i
  end do
  do i = 1, n
    c(i, 1) = work(i)*work(22)
    c(i, 2) = cos(0.3d0*i) + work(23)
  end do
  y = 0
  do i = 2, n
    do k = 1, i - 1
      y = y + c(k, 1)*c(i, 2)*c(k, 2)
    end do
    z(i) = c(i, 1)*c(i - 1, 2) + work(i - 1)
  end do
  z(1) = 2*c(1, 2)
  w(1) = 1
  w(2) = x(2)
  w(3) = x(3)
  w(4) = exp(w(1))
  w(5) = w(2)*w(4)
  w(6) = w(5)*w(3)
  do i = 5, 1, -1
    if (i == 3) cycle
    y = y + w(6)*w(4)*work(20 + 1)
    w(4) = w(4)*0.9d0
  end do
  y = y*sum(z(1:n))
end subroutine parts

subroutine turn(n, x, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y
  real(8) :: t(3), whole(3)
  integer :: i
  t(1) = 1.5d0
  t(2) = 0
  t(3) = 0.25d0
  whole = 0.5d0
  i = 1
10 continue
  t(2) = t(2)*t(3) + x(i)*t(1)
  t(1) = t(1)*1.01d0
  whole(2) = t(2)*whole(1)
  i = i + 1
  if (i <= n) goto 10
  y = t(2)**2*t(1) + sum(whole)
end subroutine turn
