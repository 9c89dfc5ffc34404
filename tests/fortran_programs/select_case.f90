! SELECT CASE with ranges, lists, default; named EXIT and CYCLE.
! head: f(y)/(x)
! args: n=7, code(7)=[1,-4,12,5,99,3,7], x(7), y
subroutine f(n, code, x, y)
  implicit none
  integer, intent(in) :: n, code(n)
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y
  integer :: i, j
  y = 1d0
  outer: do i = 1, n
    select case (code(i))
    case (:-1)
      y = y*x(i)
    case (1, 3)
      y = y + x(i)**2
    case (5:8)
      inner: do j = 1, 4
        y = y + x(i)/j
        if (j == 2 .and. code(i) == 5) cycle outer
        if (y > 4) exit inner
      end do inner
    case (90:)
      if (y > 100) exit outer
      y = y - x(i)
    case default
      y = sqrt(y)
    end select
    y = y*1.01d0
  end do outer
end subroutine f
