! LU of a band matrix whose storage starts at a negative bound, filled by DO CONCURRENT.
! head: solve(x)/(b,d)
! use: banded
! args: n=6, b(6), d, x(6)
module banded
  implicit none
contains
  pure subroutine band_lu(n, m, a)
    integer, intent(in) :: n, m
    real(8), intent(inout) :: a(-m:, :)
    integer :: i, j, k
    do k = 1, n - 1
      do i = k + 1, min(k + m, n)
        a(k-i, i) = a(k-i, i)/a(0, k)
        do j = k + 1, min(k + m, n)
          if (abs(j - i) > m) cycle
          a(j-i, i) = a(j-i, i) - a(k-i, i)*a(j-k, k)
        end do
      end do
    end do
  end subroutine
  pure subroutine band_solve(n, m, a, b)
    integer, intent(in) :: n, m
    real(8), intent(in) :: a(-m:, :)
    real(8), intent(inout) :: b(:)
    integer :: i
    do i = 2, n
      b(i) = b(i) - dot_product(a(max(-m,1-i):-1, i), b(max(1,i-m):i-1))
    end do
    do i = n, 1, -1
      b(i) = (b(i) - dot_product(a(1:min(m,n-i), i), b(i+1:min(n,i+m))))/a(0,i)
    end do
  end subroutine
  subroutine solve(n, b, d, x)
    integer, intent(in) :: n
    real(8), intent(in) :: b(n), d
    real(8), intent(out) :: x(n)
    real(8), allocatable :: a(:,:)
    integer :: i
    allocate(a(-2:2, n))
    a = 0.1d0
    do concurrent (i = 1:n)
      a(0, i) = 4 + d*i
      a(1, i) = -1 + 0.1d0*b(i)
      a(-1, i) = -d
    end do
    call band_lu(n, 2, a)
    x = b
    call band_solve(n, 2, a, x)
    deallocate(a)
  end subroutine
end module
