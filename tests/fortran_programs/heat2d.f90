! Heat equation in the plane with whole-array expressions.
! head: heat(t)/(t,kappa)
! args: n=5, m=4, t(5,4), kappa, nsteps=2
subroutine heat(n, m, t, kappa, nsteps)
  implicit none
  integer, intent(in) :: n, m, nsteps
  real(8), intent(inout) :: t(n, m)
  real(8), intent(in) :: kappa
  real(8) :: lap(2:n-1, 2:m-1)
  integer :: k
  do k = 1, nsteps
    lap = t(3:n, 2:m-1) + t(1:n-2, 2:m-1) + t(2:n-1, 3:m) + t(2:n-1, 1:m-2) - 4*t(2:n-1, 2:m-1)
    t(2:n-1, 2:m-1) = t(2:n-1, 2:m-1) + kappa*lap
    t(1, :) = t(2, :)
    t(n, :) = t(n-1, :)**2
    t(:, 1) = t(:, m)
  end do
end subroutine heat
