! Optimisation test functions.
! head: powell(f)/(x)
! args: n=4, x(4), f
! head: ackley(f)/(x)
! args: n=3, x(3), f
! head: brown(fvec)/(x)
! args: n=4, x(4), fvec(4)
! head: chebyquad(fvec)/(x)
! args: n=4, x(4), fvec(4)
! head: rastrigin(rastrigin)/(x)
! function
! args: n=3, x(3)
subroutine powell(n, x, f)
  implicit none
  integer, intent(in) :: n
  double precision, intent(in) :: x(n)
  double precision, intent(out) :: f
  integer :: i
  f = 0.d0
  do i = 1, n, 4
    f = f + (x(i) + 10*x(i+1))**2 + 5*(x(i+2) - x(i+3))**2 &
      & + (x(i+1) - 2*x(i+2))**4 + 10*(x(i) - x(i+3))**4
  end do
end subroutine

subroutine ackley(n, x, f)
  implicit none
  integer, intent(in) :: n
  double precision, intent(in) :: x(n)
  double precision, intent(out) :: f
  double precision, parameter :: a = 20.d0, b = .2d0, pi = 3.14159265358979d0
  f = -a*exp(-b*sqrt(sum(x**2)/n)) - exp(sum(cos(2*pi*x))/n) + a + exp(1.d0)
end subroutine ackley

subroutine brown(n, x, fvec)
  implicit none
  integer n
  double precision x(n), fvec(n)
  fvec(1:n-1) = x(1:n-1) + sum(x) - (n + 1)
  fvec(n) = product(x) - 1
end subroutine brown

subroutine chebyquad(n, x, fvec)
  implicit none
  integer, intent(in) :: n
  double precision, intent(in) :: x(n)
  double precision, intent(out) :: fvec(n)
  double precision :: t1, t2, th
  integer :: i, j
  fvec = 0
  do j = 1, n
    t1 = 1; t2 = 2*x(j) - 1
    do i = 1, n
      fvec(i) = fvec(i) + t2
      th = 2*(2*x(j) - 1)*t2 - t1
      t1 = t2; t2 = th
    end do
  end do
  fvec = fvec/n
  do i = 2, n, 2
    fvec(i) = fvec(i) + 1.d0/(i*i - 1)
  end do
end subroutine chebyquad

double precision function rastrigin(n, x)
  implicit none
  integer, intent(in) :: n
  double precision, intent(in), dimension(n) :: x
  rastrigin = 10*n + sum(x*x - 10*cos(6.283185307179586d0*x))
end function rastrigin
