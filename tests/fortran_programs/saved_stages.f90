! Work arrays of a checkpointed loop that are saved, set by callees and read by them.
! head: saved_stages(y)/(y)
! args: n=4, nt=5, y(4)
subroutine stage_slope(n, y, dy)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: y(n)
  real(8), intent(out) :: dy(n)
  integer :: i
  dy(1) = y(n)*y(2) - y(1)
  do i = 2, n - 1
    dy(i) = (y(i + 1) - y(i - 1))*y(i)
  end do
  dy(n) = sin(y(1))*y(n)
end subroutine
subroutine saved_stages(n, nt, y)
  implicit none
  integer, intent(in) :: n, nt
  real(8), intent(inout) :: y(n)
  real(8), save :: k1(8), k2(8), u(8)
  integer :: t
  !$overbar checkpoint 2
  do t = 1, nt
    call stage_slope(n, y, k1)
    u(1:n) = y + 0.05d0*k1(1:n)
    call stage_slope(n, u, k2)
    y = y + 0.025d0*(k1(1:n) + k2(1:n))
  end do
end subroutine
