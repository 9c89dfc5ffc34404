! DATA statements inside of constructs, with blanks between signs and numbers.
! head: data_inside(y)/(x)
! args: x=0.7, y
subroutine data_inside(x, y)
  implicit none
  double precision, intent(in) :: x
  double precision, intent(out) :: y
  double precision :: a(3), b(2), t
  integer :: k
  if (x < 0.1d0) then
    y = x*x
  else
    outer: do k = 1, 3
      data a/ - .7d0 , 2* .25d0/
      if (k == 1) y = 0
      y = y + a(k)*x**k
    end do outer
    t = 2.5d0 - x
    data b / 1.5d0, + 2.0d0 /
    y = y*b(1) + t*b(2)*x
  end if
end subroutine
