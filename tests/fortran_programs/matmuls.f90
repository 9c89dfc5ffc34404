! MATMUL in all combinations of ranks, TRANSPOSE.
! head: f(c,u,w)/(a,b,v)
! args: n=2, m=3, k=2, a(2,3), b(3,2), v(3), c(2,2), u(2), w(2)
subroutine f(n, m, k, a, b, v, c, u, w)
  implicit none
  integer, intent(in) :: n, m, k
  real(8), intent(in) :: a(n, m), b(m, k), v(m)
  real(8), intent(out) :: c(n, k), u(n), w(k)
  real(8) :: t(m, n)
  c = matmul(a, b)
  u = matmul(a, v)
  w = matmul(v, b)
  t = transpose(a)
  c = c + 2*matmul(transpose(t), b) - transpose(matmul(transpose(b), t))
  u = u + matmul(c, u)
  c = matmul(c, c)
end subroutine f
