! Loops made of GOTO, jumps out of nests and past code.
! head: f(y)/(x)
! args: n=5, x(5)=[0.3d0,0.8d0,0.5d0,0.9d0,0.2d0], y
subroutine f(n, x, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y
  integer :: i, j
  y = 1
  i = 0
100 continue
  i = i + 1
  if (i > n) goto 400
  do j = 1, n
    if (x(j)*y > 3) goto 300
    if (j > i) goto 200
    y = y + x(i)*x(j)
  end do
200 y = y*0.9d0
  goto 100
300 continue
  y = sqrt(y)
  if (i < n) goto 100
400 if (y < 1) then
    y = y*y
  else
    goto 500
  end if
  y = y + x(1)
500 continue
end subroutine f
