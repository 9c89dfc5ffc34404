! head: solved(y)/(x,a)
! args: n=3, x(3), a, y(3)
! head: again(z)/(x,z)
! args: n=3, x(3), z(3)~
! head: through(y)/(x)
! args: n=3, x(3), y(3)
subroutine solved(n, x, a, y)
  implicit none
  integer, intent(in) :: n
  double precision, intent(in) :: x(n), a
  double precision, intent(out) :: y(n)
  double precision, intent(inout) :: z(n)
  double precision :: w(3)
  integer :: i
  w = a*x
  do i = 1, n
    y(i) = sin(w(i))*x(i)
  end do
  return
  entry again(n, x, z)
  w = 0
  do i = 1, n
    if (z(i) > 0.4d0) go to 10
    w(i) = x(i)**2
10  continue
    z(i) = z(i)*x(i) + w(i)
  end do
end subroutine solved
subroutine through(n, x, y)
  implicit none
  integer, intent(in) :: n
  double precision, intent(in) :: x(n)
  double precision, intent(out) :: y(n)
  double precision :: v(n)
  v = x*x
  call again(n, x, v)
  call solved(n, v, x(1), y)
  call again(n, v, y)
end subroutine through
