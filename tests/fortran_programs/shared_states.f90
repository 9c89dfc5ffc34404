! Variables of a module that a callee reads before the loop sets them belong to its state.
! head: shared_states(s)/(x,s)
! use: shared_states_data
! args: nt=7, x(4), s
module shared_states_data
  implicit none
  real(8) :: w(4)
contains
  subroutine acc(s)
    real(8), intent(inout) :: s
    integer :: i
    do i = 1, 4
      s = s + 0.1d0*sin(w(i))*w(i)
    end do
  end subroutine
end module
subroutine shared_states(nt, x, s)
  use shared_states_data
  implicit none
  integer, intent(in) :: nt
  real(8), intent(in) :: x(4)
  real(8), intent(inout) :: s
  integer :: i, t
  w = 1
  !$overbar checkpoint 3
  do t = 1, nt
    call acc(s)
    do i = 1, 4
      w(i) = x(i)*s
    end do
  end do
end subroutine
