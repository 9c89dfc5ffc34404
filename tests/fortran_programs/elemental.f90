! Elemental procedures on arrays, pure functions with RESULT.
! head: apply(y)/(x,p)
! use: el
! args: n=4, x(4), p, y(4)
module el
  implicit none
contains
  elemental function act(v, p) result(r)
    real(8), intent(in) :: v, p
    real(8) :: r
    r = tanh(p*v) + v
  end function act
  elemental subroutine bump(v, by)
    real(8), intent(inout) :: v
    real(8), intent(in) :: by
    v = v*by + 1
  end subroutine bump
  subroutine apply(n, x, p, y)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n), p
    real(8), intent(out) :: y(n)
    integer :: i
    do i = 1, n
      y(i) = act(x(i), p)
      call bump(y(i), x(n+1-i))
    end do
  end subroutine apply
end module el
