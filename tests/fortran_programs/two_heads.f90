! A head that another head calls.
! head: outer(z)/(x)
! use: h
! args: x, z
! head: inner(b)/(a)
! use: h
! args: a, b
module h
  implicit none
contains
  subroutine inner(a, b)
    real(8), intent(in) :: a
    real(8), intent(out) :: b
    b = a*sin(a)
  end subroutine inner
  subroutine outer(x, z)
    real(8), intent(in) :: x
    real(8), intent(out) :: z
    real(8) :: t
    call inner(x, t)
    call inner(t*x, z)
    z = z + t
  end subroutine outer
end module h
