! Mixed kinds: integers, single and double in one expression; kind functions.
! head: f(y)/(x)
! args: x(3), y
subroutine f(x, y)
  implicit none
  integer, parameter :: sp = selected_real_kind(6), dp = selected_real_kind(15, 307)
  integer(kind=8) :: big
  real(dp), intent(in) :: x(3)
  real(kind=dp), intent(out) :: y
  real(sp), parameter :: half = 0.5_sp
  real(dp), parameter :: pi = 3.14159265358979_dp, c(2) = [1.0_dp, 2.0_dp]
  integer :: i
  y = half*x(1)
  big = 3
  do i = 1, 2
    y = y + c(i)*x(i)**i*pi/real(big, dp) + 1/2*x(3) + 1.0/3*x(i)
    big = big*2_8
  end do
  y = y*real(7, kind=dp) + dble(i)*x(3) - 2.5e-1*x(2)
end subroutine f
