! results that functions allocate
! f(y)/(x)
module m
contains
  function squares(v) result(w)
    double precision, intent(in) :: v(:)
    double precision, allocatable :: w(:)
    integer :: i
    allocate (w(size(v)))
    do i = 1, size(v)
      w(i) = v(i)**2
    end do
  end function
  subroutine f(x, y)
    double precision, intent(in) :: x(3)
    double precision, intent(out) :: y
    y = sum(squares(x))
  end subroutine
end module
