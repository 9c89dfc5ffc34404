! Loops without a condition whose text ends with EXIT or RETURN: only CYCLE starts another round.
! head: convect(y)/(t)
! args: n=5, t(5)~, y
! head: bracket(y)/(x)
! args: x, y
subroutine convect(n, t, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: t(n)
  real(8), intent(out) :: y
  integer :: k, it
  do it = 1, 3
    sweeps: do
      do k = 1, n - 1
        if (t(k + 1) > t(k) + 1d-2) then
          t(k:k + 1) = 0.5d0*(t(k)*1.1d0 + t(k + 1))
          cycle sweeps
        end if
      end do
      exit sweeps
    end do sweeps
    t(it) = 0.9d0*t(it)
  end do
  y = sum(t**2)
end subroutine
subroutine bracket(x, y)
  implicit none
  real(8), intent(in) :: x
  real(8), intent(out) :: y
  y = x
  do
    y = y*1.5d0
    if (y < 3) then
      y = y + 0.1d0*x
      cycle
    else if (y < 4) then
      y = sin(y)*x + 5
      cycle
    end if
    y = y*x
    return
  end do
end subroutine
