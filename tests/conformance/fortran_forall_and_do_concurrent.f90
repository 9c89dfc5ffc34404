! FORALL and DO CONCURRENT
! f(y)/(x)
subroutine f(x, y)
  double precision, intent(in) :: x(3)
  double precision, intent(out) :: y(3)
  integer :: i
  do concurrent (i = 1:3)
    y(i) = x(i)*x(4 - i)
  end do
end subroutine
