! An external procedure with assumed-shape arguments, called through an interface block.
! head: outer(s)/(v)
! args: v(5), s
subroutine inner(w, s)
  implicit none
  real(8), intent(in) :: w(:)
  real(8), intent(out) :: s
  integer :: i
  s = 0
  do i = 2, size(w)
    s = s + w(i)*w(i-1)
  end do
end subroutine inner
subroutine outer(v, s)
  implicit none
  real(8), intent(in) :: v(5)
  real(8), intent(out) :: s
  interface
    subroutine inner(w, s)
      implicit none
      real(8), intent(in) :: w(:)
      real(8), intent(out) :: s
    end subroutine inner
  end interface
  real(8) :: t
  call inner(v(1:5:2), t)
  call inner(v, s)
  s = s*t
end subroutine outer
