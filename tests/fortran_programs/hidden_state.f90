! What a call changes is kept around its adjoint although its module hides it: a factor, a counter, a table and the constants in their declarations.
! head: march(y)/(x)
! use: marching
! args: n=3, x, y
module memory
  implicit none
  private
  integer, parameter :: wp = kind(1.0d0), most = 3
  real(wp) :: factor = 1.0_wp
  real(wp) :: weights(most) = [0.5_wp, 1.5_wp, 0.25_wp]
  integer :: at = 1
  public :: advance, restart
contains
  subroutine restart()
    factor = 1.0_wp
    weights = [0.5_wp, 1.5_wp, 0.25_wp]
    at = 1
  end subroutine
  subroutine advance(z)
    real(wp), intent(inout) :: z
    factor = 1.25_wp*factor
    at = mod(at, most) + 1
    weights(at) = weights(at) + 0.125_wp
    z = z*z*factor + weights(at)*z
  end subroutine
end module
module marching
  use memory, only: advance, restart
  implicit none
contains
  subroutine march(n, x, y)
    integer, intent(in) :: n
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    integer :: i
    call restart()
    y = x
    do i = 1, n
      call advance(y)
      y = cos(y)
    end do
  end subroutine
end module
