! Simpson's rule over m double intervals for n damped oscillations.
subroutine simpson(n, m, length, a, w, area)
  implicit none
  integer, intent(in) :: n, m
  double precision, intent(in) :: length, a(n), w(n)
  double precision, intent(out) :: area(n)
  integer :: i
  do i = 1, n
    area(i) = integral(a(i), w(i))
  end do
contains
  double precision function integrand(t, a, w)
    double precision, intent(in) :: t, a, w
    integrand = exp(-a*t)*sin(w*t)/(1 + t*t)
  end function integrand

  double precision function integral(a, w)
    double precision, intent(in) :: a, w
    double precision :: h
    integer :: k
    h = length/(2*m)
    integral = integrand(0d0, a, w) + integrand(length, a, w)
    do k = 1, 2*m - 1
      integral = integral + merge(4, 2, mod(k, 2) == 1)*integrand(k*h, a, w)
    end do
    integral = integral*h/3
  end function integral
end subroutine simpson
