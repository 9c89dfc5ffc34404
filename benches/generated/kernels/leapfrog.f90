! A chain of n masses between walls, joined by springs with a cubic term, by the kick-drift-kick leapfrog scheme.
subroutine leapfrog(n, steps, h, alpha, x, v)
  implicit none
  integer, intent(in) :: n, steps
  double precision, intent(in) :: h, alpha
  double precision, intent(inout) :: x(n), v(n)
  integer :: t
  do t = 1, steps
    v = v + 0.5d0*h*force(x)
    x = x + h*v
    v = v + 0.5d0*h*force(x)
  end do
contains
  function force(x) result(f)
    double precision, intent(in) :: x(:)
    double precision :: f(size(x)), d(size(x) + 1)
    d(1) = x(1)
    d(2:n) = x(2:n) - x(1:n - 1)
    d(n + 1) = -x(n)
    d = d + alpha*d**3
    f = d(2:n + 1) - d(1:n)
  end function force
end subroutine leapfrog
