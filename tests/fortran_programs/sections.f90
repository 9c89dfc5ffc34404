! Sections: overlapping, strided, reversed.
! head: f(a,s)/(a)
! args: n=7, a(7), s
subroutine f(n, a, s)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n)
  real(8), intent(out) :: s
  real(8) :: b(n)
  b = a*a
  a(2:n) = a(1:n-1)*b(2:n)
  a(1:n-1) = a(2:n) + a(1:n-1)
  a(n:1:-1) = a
  a(1:n:2) = a(n:1:-2)*2
  b(:3) = a(3:1:-1)
  a(2:6:2) = b(1:3)**2 + sin(a(2:6:2))
  s = dot_product(a(1:n:3), b(1:n:3)) + sum(a(n:2:-2)) + maxval(b(2:4)) - minval(a(1:3))
end subroutine f
