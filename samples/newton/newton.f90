module newton_solver
  implicit none
  private
  public :: root

contains

  ! Solves x**3 + p*x = q for x by Newton's method; the number of iterations depends on the data.
  function root(p, q) result(x)
    double precision, intent(in) :: p, q
    double precision :: x, step
    integer :: iterations

    x = 1
    iterations = 0
    do
      step = (x**3 + p*x - q)/(3*x**2 + p)
      x = x - step
      iterations = iterations + 1
      if (abs(step) < 1d-12*abs(x) .or. iterations == 50) exit
    end do
  end function root

end module newton_solver
