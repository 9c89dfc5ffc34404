! PRINT, WRITE and STOP pass through; function references in conditions and subscripts; comments.
! head: f(y)/(x)
! args: n=3, x(3), mode='fast', y
subroutine f(n, x, mode, y)
  ! Comment at the top.
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  character(len=*), intent(in) :: mode
  real(8), intent(out) :: y
  integer :: i
  character(len=20) :: line
  y = 0 ! start
  if (n < 0) then
    print *, 'negative', n
    stop 2
  end if
  write (line, '(i0)') n
  do i = 1, n
    if (mode == 'fast' .and. norm(x(i)) > 0.1d0) then
      y = y + x(pick(i))*&
          & x(i)
    else if (len_trim(line) > 5) then
      write (*, *) 'long', line
    end if
  end do
contains
  real(8) function norm(v)
    real(8), intent(in) :: v
    norm = abs(v)
  end function norm
  integer function pick(k)
    integer, intent(in) :: k
    pick = mod(k, n) + 1
  end function pick
end subroutine f
