! `matmul`, `sum`, `dot_product`
! f(y)/(a,x)
subroutine f(a, x, y)
  double precision, intent(in) :: a(3,3), x(3)
  double precision, intent(out) :: y
  y = sum(matmul(a, x)) + dot_product(x, x)
end subroutine
