! legacy
! head: quad(s)/(a)
! args: a, s
subroutine quad(a, s)
  implicit none
  real(8), intent(in) :: a
  real(8), intent(out) :: s
  real(8) :: x
  s = 0
  do x = 0.0d0, 1.0d0, 0.125d0
    s = s + sin(a*x)*0.125d0
  end do
  s = s*2
end subroutine quad
