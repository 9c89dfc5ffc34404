! Leapfrog of a chain with saved energies, iso_fortran_env kinds.
! head: leap(energy)/(q,p,mass)
! args: n=4, q(4), p(4), mass(4), steps=3, energy(3)
subroutine leap(n, q, p, mass, steps, energy)
  use, intrinsic :: iso_fortran_env, only: dp => real64
  implicit none
  integer, intent(in) :: n, steps
  real(dp), intent(inout) :: q(n), p(n)
  real(dp), intent(in) :: mass(n)
  real(dp), intent(out) :: energy(steps)
  real(dp) :: force(n)
  real(dp), parameter :: h = 0.05_dp
  integer :: s
  do s = 1, steps
    call shifted(force)
    force = -q**3 + 0.1_dp*force
    p = p + h*force
    q = q + h*p/mass
    energy(s) = 0.5_dp*sum(p*p/mass) + 0.25_dp*dot_product(q**2, q**2)
  end do
contains
  subroutine shifted(r)
    real(dp), intent(out) :: r(:)
    integer :: i
    do i = 1, n
      r(i) = q(mod(i, n) + 1)
    end do
  end subroutine
end subroutine leap
