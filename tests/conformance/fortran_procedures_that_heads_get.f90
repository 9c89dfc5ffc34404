! procedures that heads get
! f(y)/(x)
subroutine f(g, x, y)
  interface
    subroutine g(x, y)
      double precision, intent(in) :: x
      double precision, intent(out) :: y
    end subroutine
  end interface
  double precision, intent(in) :: x
  double precision, intent(out) :: y
  call g(x*x, y)
  y = y*x
end subroutine
