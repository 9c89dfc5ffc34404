! Sections that leave out bounds, with either sign of the stride; vector subscripts.
! head: f(a,b)/(a,b)
! args: n=5, k=2, p(3)=[4,1,5], a(5), b(5,5)
subroutine f(n, k, p, a, b)
  implicit none
  integer, intent(in) :: n, k, p(3)
  double precision, intent(inout) :: a(n), b(n, n)
  integer :: i
  a(k+1:) = a(k+1:)*2 + a(:n-k)
  a(k:) = sin(a(k:))
  a(2:) = a(2:)*a(1)
  a(:k) = a(:k)*a(n)
  a(::2) = a(::2)*a(3)
  a(k+1::2) = a(k+1::2)*2
  b(1, 2:) = b(2:, 1)
  b(k-1:, :) = b(:, k-1:)*2
  b(n:1:-1, :) = b(:, n:1:-1)*b
  b(n:1:-2, 3) = b(:3, 2)*b(::2, 1)
  do i = 1, n - 1
    b(i, i+1:) = b(i, i+1:)*b(i, i) - a(i+1:)
  end do
  a(n::-2) = a(n::-1)*b(:1:-2, 2)
  a(p) = a(p)*b(p, 2)
  a(1) = sum(b(k:, k)) + dot_product(a(:3), b(p, k)) + maxval(a(4:))
  call scale(a(k:), b(2:, 2:))
contains
  subroutine scale(v, m)
    double precision, intent(inout) :: v(:), m(:, :)
    v = v*m(1, 1)
    m = m*m
  end subroutine scale
end subroutine f
