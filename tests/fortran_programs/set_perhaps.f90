! An output that a callee may set, to something that depends on nothing: its adjoint is zero in the end.
! head: set_perhaps(y,z)/(x)
! args: n=3, x(3), y, z
subroutine inner(n, x, r, z)
  implicit none
  integer, intent(in) :: n
  double precision, intent(in) :: x(n)
  double precision, intent(inout) :: r, z
  integer :: i
  do i = 1, n
    z = cos(1.1d0*i)
    r = r + z*x(i)**2
  end do
end subroutine

subroutine set_perhaps(n, x, y, z)
  implicit none
  integer, intent(in) :: n
  double precision, intent(in) :: x(n)
  double precision, intent(out) :: y
  double precision, intent(inout) :: z
  double precision :: r
  r = sin(x(1))
  call inner(n, x, r, z)
  y = r*x(2)
end subroutine
