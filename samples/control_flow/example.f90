! A loop around a branch: F(x) = (cos x2, sin x1, cos x2 * sin x1).
subroutine example(x, y)
  implicit none
  double precision, intent(in) :: x(2)
  double precision, intent(out) :: y(3)
  integer :: i

  i = 1
  do while (i < 3)
    if (i < 2) then
      y(2) = sin(x(1))
    else
      y(1) = cos(x(2))
    end if
    i = i + 1
  end do
  y(3) = y(1)*y(2)
end subroutine example
