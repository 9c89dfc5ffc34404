! Gather, scatter, repeated indices.
! head: gs(y,s)/(x,y)
! args: n=5, m=4, idx(5)=[1,3,3,2,1], x(4), y(4), s
subroutine gs(n, m, idx, x, y, s)
  implicit none
  integer, intent(in) :: n, m, idx(n)
  real(8), intent(in) :: x(m)
  real(8), intent(inout) :: y(m)
  real(8), intent(out) :: s
  integer :: k
  do k = 1, n
    y(idx(k)) = y(idx(k))*x(idx(n+1-k)) + x(idx(k))
  end do
  s = sum(y(idx(1:3))*x(idx(2:4)))
end subroutine gs
