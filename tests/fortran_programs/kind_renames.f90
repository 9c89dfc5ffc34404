! A kind that is renamed twice on its way, and a private one of the same name that is not handed on.
! head: run(j)/(u)
! use: solver
! args: u, j
module phys
  use iso_fortran_env, only: dp => real64
  implicit none
end module phys
module narrow
  use iso_fortran_env, only: dp => real32
  implicit none
  private
  real(dp), parameter, public :: half = 0.5_dp
end module narrow
module solver
  use narrow
  use phys, only: wp => dp
  implicit none
contains
  subroutine run(u, j)
    real(wp), intent(in) :: u
    real(wp), intent(out) :: j
    real(wp) :: v
    v = u*half
    j = v*u + 1.0_wp/3.0_wp
  end subroutine run
end module solver
