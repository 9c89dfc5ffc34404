! Newton's iteration with EXIT; a function with its own name as result.
! head: root(root)/(a,x0)
! args: a, x0=1.3d0
! function
double precision function root(a, x0)
  implicit none
  double precision, intent(in) :: a, x0
  double precision :: x, step
  integer :: k
  x = x0
  do k = 1, 30
    step = (x**3 - a*x - 1)/(3*x**2 - a)
    x = x - step
    if (abs(step) < 1d-2) exit
  end do
  root = x
end function root
