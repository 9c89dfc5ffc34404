! Residual of the Bratu problem (flow in a channel with combustion) on dim inner points, with two parameters.
subroutine bratu(dim, x, prm, f)
  implicit none
  integer, intent(in) :: dim
  double precision, intent(in) :: x(dim), prm(2)
  double precision, intent(out) :: f(dim)
  double precision :: h
  integer :: i

  h = 2.0d0/(dim + 1)
  f(1) = -2*x(1) + h*h*prm(1)/12.0d0*(1 + 10*exp(x(1)/(1.0d0 + prm(2)*x(1))))
  f(2) = x(1) + h*h*prm(1)/12.0d0*exp(x(1)/(1.0d0 + prm(2)*x(1)))

  ! each inner point contributes to its neighbours
  do i = 2, dim - 1
    f(i - 1) = f(i - 1) + x(i) + h*h*prm(1)/12.0d0*exp(x(i)/(1.0d0 + prm(2)*x(i)))
    f(i) = f(i) - 2*x(i) + h*h*prm(1)/1.2d0*exp(x(i)/(1.0d0 + prm(2)*x(i)))
    f(i + 1) = x(i) + h*h*prm(1)/12.0d0*exp(x(i)/(1.0d0 + prm(2)*x(i)))
  end do

  f(dim - 1) = f(dim - 1) + x(dim) + h*h*prm(1)/12.0d0*exp(x(dim)/(1.0d0 + prm(2)*x(dim)))
  f(dim) = f(dim) - 2*x(dim)
  f(dim) = f(dim) + h*h*prm(1)/12.0d0*(1 + 10*exp(x(dim)/(1.0d0 + prm(2)*x(dim))))
end subroutine bratu
