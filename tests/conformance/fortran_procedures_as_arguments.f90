! procedures as arguments
! f(y)/(x)
module p
contains
  double precision function square(x)
    double precision, intent(in) :: x
    square = x*x
  end function
  double precision function at(g, x)
    interface
      double precision function g(x)
        double precision, intent(in) :: x
      end function
    end interface
    double precision, intent(in) :: x
    at = g(x)
  end function
  subroutine f(x, y)
    double precision, intent(in) :: x
    double precision, intent(out) :: y
    y = at(square, x)
  end subroutine
end module
