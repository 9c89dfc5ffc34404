! A linear system in saved arrays, solved in place.
! head: saved_system(r)/(x)
! args: n=4, x(4), r
subroutine saved_system(n, x, r)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: r
  real(8), save :: a(6,6), b(6), piv
  integer, save :: i, j, k
  do j = 1, n
    do i = 1, n
      a(i,j) = sin(x(i)*j)
    end do
    a(j,j) = a(j,j) + 4
    b(j) = x(j)
  end do
  do k = 1, n - 1
    do i = k + 1, n
      piv = a(i,k)/a(k,k)
      do j = k + 1, n
        a(i,j) = a(i,j) - piv*a(k,j)
      end do
      b(i) = b(i) - piv*b(k)
    end do
  end do
  do i = n, 1, -1
    do j = i + 1, n
      b(i) = b(i) - a(i,j)*b(j)
    end do
    b(i) = b(i)/a(i,i)
  end do
  r = sum(b(1:n)**2)
end subroutine
