! Cholesky with sections.
! head: chol(a,logdet)/(a)
! args: n=3, a(3,3)=[4d0,1d0,0.5d0,1d0,3d0,0.2d0,0.5d0,0.2d0,2d0], logdet
subroutine chol(n, a, logdet)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n, n)
  real(8), intent(out) :: logdet
  integer :: j
  logdet = 0
  do j = 1, n
    a(j, j) = sqrt(a(j, j) - sum(a(j, 1:j-1)**2))
    if (j < n) then
      a(j+1:n, j) = a(j+1:n, j) - matmul(a(j+1:n, 1:j-1), a(j, 1:j-1))
      a(j+1:n, j) = a(j+1:n, j)/a(j, j)
    end if
    a(1:j-1, j) = 0
    logdet = logdet + 2*log(a(j, j))
  end do
end subroutine chol
