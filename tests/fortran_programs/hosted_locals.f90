! Variables of a host that only its internal procedures name.
! head: hosted_locals(y)/(x)
! args: x(3), y
subroutine hosted_locals(x, y)
  implicit none
  real(8), intent(in) :: x(3)
  real(8), intent(out) :: y
  real(8) :: kept, w(2)
  integer :: calls, tally
  call start()
  call scale(x(1))
  call scale(x(2)*x(3))
  y = total()
contains
  subroutine start()
    calls = 0
    tally = 0
    kept = 0.5d0
    w = 1
  end subroutine
  subroutine scale(a)
    real(8), intent(in) :: a
    calls = calls + 1
    tally = tally + calls
    w(calls) = w(calls)*sin(a)
    kept = kept + w(calls)*a*calls
  end subroutine
  function total()
    real(8) :: total
    total = kept*w(1) + w(2)**2
  end function
end subroutine
