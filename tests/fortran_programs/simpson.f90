! Simpson's rule with an external integrand and a parameter in COMMON.
! head: simpson(s)/(a,b,omega)
! decl: real(8) :: omega, omegad, omegab
! decl: common /par/ omega
! decl: common /par_d/ omegad
! decl: common /par_b/ omegab
! global: omega
! args: a, b=2.1d0, n=4, s
subroutine simpson(a, b, n, s)
  implicit none
  real(8), intent(in) :: a, b
  integer, intent(in) :: n
  real(8), intent(out) :: s
  real(8) :: h, x, omega
  common /par/ omega
  real(8), external :: g
  integer :: i
  h = (b - a)/(2*n)
  s = g(a) + g(b)
  do i = 1, 2*n - 1
    x = a + i*h
    if (mod(i, 2) == 0) then
      s = s + 2*g(x)
    else
      s = s + 4*g(x)
    end if
  end do
  s = s*h/3*omega
end subroutine simpson

real(8) function g(x)
  implicit none
  real(8), intent(in) :: x
  real(8) :: omega
  common /par/ omega
  g = exp(-x)*sin(omega*x)
end function g
