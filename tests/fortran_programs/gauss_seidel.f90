! Gauss-Seidel until convergence: the trip count depends on the data.
! head: gs(x)/(a,b,x)
! args: n=3, a(3,3)=[5d0,1d0,0.4d0,0.7d0,4d0,1d0,0.3d0,0.9d0,6d0], b(3), x(3), its=0
subroutine gs(n, a, b, x, its)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: a(n,n), b(n)
  real(8), intent(inout) :: x(n)
  integer, intent(out) :: its
  real(8) :: s, change, old
  integer :: i, j
  its = 0
  change = 1
  do while (change > 1d-3 .and. its < 50)
    change = 0
    do i = 1, n
      s = b(i)
      do j = 1, n
        if (j == i) cycle
        s = s - a(i,j)*x(j)
      end do
      old = x(i)
      x(i) = s/a(i,i)
      change = max(change, abs(x(i) - old))
    end do
    its = its + 1
  end do
end subroutine gs
