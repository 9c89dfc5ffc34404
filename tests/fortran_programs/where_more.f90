! WHERE on sections and matrices, with reductions in the mask.
! head: f(a,s)/(a,b)
! args: n=4, m=3, a(4,3), b(4,3), s
subroutine f(n, m, a, b, s)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(inout) :: a(n, m)
  real(8), intent(in) :: b(n, m)
  real(8), intent(out) :: s
  logical :: mask(n)
  integer :: j
  do j = 1, m
    mask = b(:, j) > 0.6d0
    where (mask)
      a(:, j) = a(:, j)*b(:, j)
    elsewhere
      a(:, j) = -b(:, 1)
    end where
  end do
  where (a(2:n, :) > a(1:n-1, :)) a(2:n, :) = a(1:n-1, :)**2
  s = sum(a, mask=a > 0.1d0) + sum(b(:, 1))
end subroutine f
