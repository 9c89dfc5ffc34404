! Module variables as independents and dependents; PRIVATE and SAVE; two modules.
! head: run(y,total)/(x,gain)
! use: sim
! use: params
! args: x(3), y
! global: gain, total
module params
  implicit none
  real(8) :: gain = 1.5d0
  real(8) :: total = 0
  integer :: calls = 0
end module params
module sim
  use params
  implicit none
  private
  real(8), save :: memory(3)
  real(8), parameter :: weights(3) = [0.2d0, 0.3d0, 0.5d0]
  public :: run
contains
  subroutine load(x)
    real(8), intent(in) :: x(3)
    memory = gain*x
    calls = calls + 1
  end subroutine load
  subroutine run(x, y)
    real(8), intent(in) :: x(3)
    real(8), intent(out) :: y
    call load(x)
    total = dot_product(weights, memory)
    call load(x*total)
    y = sum(memory**2)*gain
  end subroutine run
end module sim
