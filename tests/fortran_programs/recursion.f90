! Recursive function and subroutine.
! head: tree(r)/(x)
! use: rec
! args: n=4, x, r
module rec
  implicit none
contains
  recursive function power(x, n) result(p)
    real(8), intent(in) :: x
    integer, intent(in) :: n
    real(8) :: p
    if (n == 0) then
      p = 1
    else if (mod(n, 2) == 0) then
      p = power(x*x, n/2)
    else
      p = x*power(x, n - 1)
    end if
  end function power
  recursive subroutine tree(n, x, r)
    integer, intent(in) :: n
    real(8), intent(in) :: x
    real(8), intent(out) :: r
    real(8) :: a, b
    if (n <= 1) then
      r = power(x, 5)
      return
    end if
    call tree(n - 1, x*1.1d0, a)
    call tree(n - 2, sin(x), b)
    r = a*b + x
  end subroutine tree
end module rec
