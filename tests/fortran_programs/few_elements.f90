! Stencils over as few elements as they are wide: compilers warn of loops without iterations.
! head: boxes(y)/(x)
! args: x(6), y
subroutine boxes(x, y)
  implicit none
  integer, parameter :: nbox = 3
  real(8), intent(in) :: x(2*nbox)
  real(8), intent(out) :: y
  real(8) :: t(nbox), s(nbox), d(nbox + 1)
  integer :: i
  do i = 1, nbox
    t(i) = 20 + x(i)
    s(i) = 35 + x(i + 3)
  end do
  d = 0
  do i = 1, 3
    d(i) = t(i)*s(i)
    d(i + 1) = d(i + 1) + s(i)**2
  end do
  do i = 2, nbox
    t(i) = t(i) - 0.1d0*(d(i + 1) - d(i - 1))
  end do
  y = sum(t)*t(1)
end subroutine
