! Jacobi sweeps with two arrays that change roles.
! head: jacobi(u)/(u,f)
! args: n=4, u(4,4), f(4,4), sweeps=3
subroutine jacobi(n, u, f, sweeps)
  implicit none
  integer, intent(in) :: n, sweeps
  real(8), dimension(n,n), intent(inout) :: u
  real(8), dimension(n,n), intent(in) :: f
  real(8) :: v(n,n)
  integer :: k, i, j
  v = u
  do k = 1, sweeps
    if (mod(k, 2) == 1) then
      do j = 2, n-1
        do i = 2, n-1
          v(i,j) = 0.25d0*(u(i-1,j) + u(i+1,j) + u(i,j-1) + u(i,j+1) - f(i,j)*u(i,j))
        end do
      end do
    else
      columns: do j = 2, n-1
        u(2:n-1,j) = 0.25d0*(v(1:n-2,j) + v(3:n,j) + v(2:n-1,j-1) + v(2:n-1,j+1) - f(2:n-1,j))
      end do columns
    end if
  end do
end subroutine jacobi
