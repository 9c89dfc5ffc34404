! Arrays whose rows are laid out by hand, with bounds from one and from zero, with lengths by reference.
! head: sweep(y)/(x)
! args: n = 3, m = 4, x(12), y(12)
! head: table(s)/(x)
! args: n = 4, x(4), s
subroutine sweep(n, m, x, y)
  implicit none
  integer, intent(in) :: n, m
  double precision, intent(in) :: x(n*m)
  double precision, intent(out) :: y(n*m)
  integer :: i, k
  do k = 1, m
    y(1 + n*(k - 1)) = x(1 + n*(k - 1))
    do i = 2, n
      y(i + n*(k - 1)) = y(i - 1 + n*(k - 1))*x(i + n*(k - 1))
    end do
  end do
  do k = 2, m
    do i = 1, n
      y((k - 1)*n + i) = y((k - 1)*n + i)*sin(y((k - 2)*n + i))
    end do
  end do
end subroutine sweep

subroutine table(n, x, s)
  implicit none
  integer, intent(in) :: n
  double precision, intent(in) :: x(n)
  double precision, intent(out) :: s
  double precision :: w(0:n*n - 1)
  integer :: i, j
  do i = 0, n - 1
    do j = 0, n - 1
      w(i*n + j) = x(i + 1)*x(j + 1)
    end do
  end do
  s = 0d0
  do i = 1, n - 1
    do j = i, n - 1
      w(i*n + j) = w(i*n + j) + w((i - 1)*n + j)*w(i*n + j)
      s = s + w(i*n + j)**2
    end do
  end do
end subroutine table
