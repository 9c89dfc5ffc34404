! Modules that say what is public on continued lines, private procedures as heads, and arguments that a second branch finds as a first one left them.
! head: outside_of_lists(y)/(x)
! args: x=0.7, y
module long_lists
  implicit none
  private
  integer, parameter :: wp = kind(1.0d0)
  integer, parameter, public :: &
    rk = wp
  real(rk), parameter, public :: &
    one_way = 1.5_rk, & ! with a comment
    other_way = 0.25_rk
  public :: law_of_lists, &
    more_of_lists
  real(rk) :: &
    memory = 0.5_rk
contains
  subroutine law_of_lists(x, y)
    real(rk), intent(in) :: x
    real(rk), intent(out) :: y
    call hidden_law(one_way*x, y)
    y = y*memory
  end subroutine law_of_lists
  subroutine more_of_lists(x, y)
    real(rk), intent(in) :: x
    real(rk), intent(out) :: y
    real(rk) :: a, b, c
    if (x <= 0.0_rk) then
      y = 0.0_rk
    else
      a = x*x
      b = one_way*x
      call branched(a, b, c)
      y = c*sin(c)
    end if
  end subroutine more_of_lists
  subroutine branched(a, b, c)
    real(rk), intent(in) :: a, b
    real(rk), intent(out) :: c
    if (a > b) then
      c = a*b
    else
      c = abs(a)*b*b
    end if
  end subroutine branched
  subroutine hidden_law(x, y)
    real(rk), intent(in) :: x
    real(rk), intent(out) :: y
    y = other_way*x*x
  end subroutine hidden_law
end module long_lists

subroutine outside_of_lists(x, y)
  use long_lists, only: law_of_lists, more_of_lists, rk, other_way
  implicit none
  real(rk), intent(in) :: x
  real(rk), intent(out) :: y
  real(rk) :: z
  call law_of_lists(x*other_way, z)
  call more_of_lists(z + x, y)
end subroutine outside_of_lists
