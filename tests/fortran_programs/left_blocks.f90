! EXIT from BLOCK and ASSOCIATE constructs.
! head: f(y)/(x)
! args: x(3), y
subroutine f(x, y)
  implicit none
  real(8), intent(in) :: x(3)
  real(8), intent(out) :: y
  integer :: i
  y = x(1)
  outer: block
    real(8) :: t
    t = y*x(2)
    if (t > 100) exit outer
    y = y*t
    rounds: do i = 1, 3
      inner: associate (z => x(i))
        if (z*y > 0.4d0) exit inner
        y = y + z**2
        if (y > 3) exit outer
      end associate inner
      y = y*1.5d0
      if (i == 2) exit rounds
    end do rounds
    y = y*y
  end block outer
end subroutine f
