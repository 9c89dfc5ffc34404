! type-bound procedures
! f(y)/(x)
module t
  type shape
    double precision :: a
  contains
    procedure :: area
  end type
contains
  double precision function area(s)
    class(shape), intent(in) :: s
    area = s%a*s%a
  end function
  subroutine f(x, y)
    double precision, intent(in) :: x
    double precision, intent(out) :: y
    type(shape) :: s
    s%a = x
    y = s%area()
  end subroutine
end module
