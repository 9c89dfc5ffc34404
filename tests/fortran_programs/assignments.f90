! Assignments for which several modules have procedures: each is looked for where it is visible.
! head: f(y)/(x)
! args: x, y
module squares
  implicit none
  type :: square
    real(8) :: v
  end type
  interface assignment(=)
    module procedure set_square
  end interface
contains
  subroutine set_square(t, x)
    type(square), intent(out) :: t
    real(8), intent(in) :: x
    t%v = x*x
  end subroutine
end module

module waves
  implicit none
  private
  public :: wave, assignment (=)
  type :: wave
    real(8) :: v
  end type
  interface assignment (=)
    module procedure set_wave
  end interface
contains
  subroutine set_wave(t, x)
    type(wave), intent(out) :: t
    real(8), intent(in) :: x
    t%v = sin(x) + 2d0*x
  end subroutine
end module

subroutine both(x, y)
  use squares
  use waves
  implicit none
  real(8), intent(in) :: x
  real(8), intent(out) :: y
  type(square) :: a
  type(wave) :: b
  a = x
  b = a%v
  y = a%v*b%v
end subroutine

subroutine chosen(x, y)
  use squares, only: square, assignment(=)
  use waves, only: wave, assignment( = )
  implicit none
  real(8), intent(in) :: x
  real(8), intent(out) :: y
  type(square) :: a
  type(wave) :: b
  b = x
  a = b%v
  y = a%v + b%v
end subroutine

subroutine f(x, y)
  implicit none
  real(8), intent(in) :: x
  real(8), intent(out) :: y
  real(8) :: s, t
  call both(x, s)
  call chosen(x, t)
  y = s*t + x
end subroutine
