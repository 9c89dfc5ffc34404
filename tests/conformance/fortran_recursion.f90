! recursion
! f(y)/(x)
recursive subroutine f(n, x, y)
  integer, intent(in) :: n
  double precision, intent(in) :: x
  double precision, intent(out) :: y
  double precision :: t
  y = x
  if (n > 0) then
    call f(n - 1, x, t)
    y = t*x
  end if
end subroutine
