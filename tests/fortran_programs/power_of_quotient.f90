! The exponent of a power is an expression that may be zero: compared without a warning.
! head: tower(y)/(a,b)
! args: a, b, y
subroutine tower(a, b, y)
  implicit none
  real(8), intent(in) :: a, b
  real(8), intent(out) :: y
  y = (1 + a*a)**(4/(1 + a)) + (2 + b*b)**(a*b)
end subroutine
