! A COMMON block of which the head itself uses only values: the adjoint of what its callee does with it starts from zero all the same.
! head: common_printed(w)/(z)
! args: n=4, w(4)~, z
subroutine advance(n, a, w)
  implicit none
  integer, intent(in) :: n
  double precision, intent(in) :: a
  double precision, intent(inout) :: w(n)
  double precision :: ch(5)
  common /blk/ ch
  integer :: i
  do i = 2, n, 2
    ch(i) = 0.5d0*ch(i) + 0.3d0*w(i)*a
    w(i) = w(i)*cos(ch(i))
  end do
end subroutine

subroutine fill()
  implicit none
  double precision :: ch(5)
  common /blk/ ch
  ch = 0.1d0
end subroutine

subroutine common_printed(n, w, z)
  implicit none
  integer, intent(in) :: n
  double precision, intent(inout) :: w(n)
  double precision, intent(in) :: z
  double precision :: ch(5)
  common /blk/ ch
  if (ch(1) > 1d3) w(1) = 2*w(1)
  call fill()
  call advance(n, z, w)
end subroutine
