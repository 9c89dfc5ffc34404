! Product of a sparse matrix in compressed rows (counted from 0) with a vector.
subroutine sparse(n, each, start, column, value, x, y)
  implicit none
  integer, intent(in) :: n, each, start(n + 1), column(each*n)
  double precision, intent(in) :: value(each*n), x(n)
  double precision, intent(out) :: y(n)
  integer :: i
  do i = 1, n
    associate (first => start(i) + 1, last => start(i + 1))
      y(i) = dot_product(value(first:last), x(column(first:last) + 1))
    end associate
  end do
end subroutine sparse
