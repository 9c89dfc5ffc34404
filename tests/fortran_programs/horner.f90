! Horner with its derivative, unrolled by hand; real(4).
! head: poly(p,dp)/(c,x)
! kind: 4
! args: n=4, c(0:4), x=0.8, p, dp
subroutine poly(n, c, x, p, dp)
  implicit none
  integer, intent(in) :: n
  real, intent(in) :: c(0:n), x
  real, intent(out) :: p, dp
  integer :: i
  p = c(n)
  dp = 0.0
  do i = n - 1, 0, -1
    dp = dp*x + p
    p = p*x + c(i)
  end do
end subroutine poly
