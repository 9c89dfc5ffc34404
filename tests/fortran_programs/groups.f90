! NAMELIST groups of a procedure: what reads or writes them may be in its derivatives, too.
! head: f(y)/(x)
! args: x, y
subroutine f(x, y)
  implicit none
  real(8), intent(in) :: x
  real(8), intent(out) :: y
  real(8) :: c
  integer :: ios, n
  namelist /par/ c, n /other/ ios
  c = 2
  n = 3
  open (unit=10, file='none.nml', iostat=ios, status='old')
  if (ios == 0) read (10, nml=par, iostat=ios)
  y = c*x**n
end subroutine f
