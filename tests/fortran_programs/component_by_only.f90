! Structures of a module come in by name, and by another name; their components come with them.
! head: growth(y)/(x)
! args: x, y
module settings
  implicit none
  type law
    real(8) :: rate
    real(8) :: powers(2)
  end type
  type(law) :: first = law(1.5d0, [2.0d0, 0.5d0]), second = law(0.75d0, [1.25d0, 3.0d0])
end module
subroutine growth(x, y)
  use settings, only: first, other => second
  implicit none
  real(8), intent(in) :: x
  real(8), intent(out) :: y
  y = first%rate*x**2*other%powers(2) + other%rate*sin(first%powers(1)*x)
end subroutine
