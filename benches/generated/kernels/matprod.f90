! Product of two dense matrices, each element a sum over the inner index; matrices are by rows.
subroutine matprod(n, m, p, a, b, c)
  implicit none
  integer, intent(in) :: n, m, p
  double precision, intent(in) :: a(m, n), b(p, m)
  double precision, intent(out) :: c(p, n)
  c = matmul(b, a)
end subroutine matprod
