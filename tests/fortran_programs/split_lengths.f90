! Split reversal: automatic arrays as long as an argument that changes, functions that return arrays.
! head: f(y)/(x)
! use: split_lengths
! args: x(4), y(4)
! head: g(y)/(x)
! use: split_lengths
! args: x(4), y
module split_lengths
  implicit none
contains
  subroutine slope(y, k)
    real(8), intent(in) :: y(:)
    real(8), intent(out) :: k(:)
    k = sin(y)*y
  end subroutine slope
  subroutine step(y)
    real(8), intent(inout) :: y(:)
    real(8) :: k1(size(y)), k2(size(y))
    !$overbar reversal split
    call slope(y, k1)
    !$overbar reversal split
    call slope(y + k1, k2)
    y = y + k1*k2
  end subroutine step
  subroutine f(x, y)
    real(8), intent(in) :: x(4)
    real(8), intent(out) :: y(4)
    y = x
    !$overbar reversal split
    call step(y)
    !$overbar reversal split
    call step(y)
  end subroutine f
  function wave(a) result(r)
    real(8), intent(in) :: a(4)
    real(8) :: r(4)
    r = sin(a)
  end function wave
  subroutine g(x, y)
    real(8), intent(in) :: x(4)
    real(8), intent(out) :: y
    !$overbar reversal split
    y = sum(wave(x*2))
    !$overbar reversal split
    if (sum(wave(x)) > 1) y = y*2
  end subroutine g
end module split_lengths
