! Reductions, with DIM and MASK where they are understood.
! head: f(y)/(x,z)
! args: n=5, x(5), z(5,3), y(4)
subroutine f(n, x, z, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n), z(n, 3)
  real(8), intent(out) :: y(4)
  y(1) = sum(x*z(:, 2)) + maxval(abs(x - 0.5d0))
  y(2) = minval(z) + size(x)*product2(x)
  y(3) = sqrt(sum(x**2)) + sum(z)/size(z, 1)
  y(4) = dot_product(z(:, 1), z(:, 3)) + max(x(1), x(2), z(1, 1)) + min(x(3), 0.1d0*x(4))
contains
  real(8) function product2(v)
    real(8), intent(in) :: v(:)
    integer :: i
    product2 = 1
    do i = 1, size(v)
      product2 = product2*v(i)
    end do
  end function product2
end subroutine f
