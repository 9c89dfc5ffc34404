! Adaptive step choice by halving, Gauss points in PARAMETER arrays, function as an argument of MAX.
! head: quad_gauss(total)/(a,b,c)
! args: a, b=1.9d0, c(3), total
subroutine quad_gauss(a, b, c, total)
  implicit none
  real(8), intent(in) :: a, b, c(3)
  real(8), intent(out) :: total
  real(8), parameter :: gp(2) = [-0.5773502691896257d0, 0.5773502691896257d0]
  real(8), dimension(2), parameter :: gw = 1d0
  real(8) :: left, width, part, x
  integer :: k, level
  total = 0d0
  left = a
  width = b - a
  level = 0
  do while (left < b - 1d-9)
    part = 0
    do k = 1, 2
      x = left + width*(1 + gp(k))/2
      part = part + gw(k)*value(x)*width/2
    end do
    if (abs(part) > 0.8d0 .and. level < 4) then
      width = width/2
      level = level + 1
    else
      total = total + part
      left = left + width
      if (left + width > b) width = b - left
    end if
  end do
contains
  function value(x)
    real(8), intent(in) :: x
    real(8) :: value
    value = c(1) + x*(c(2) + x*c(3)) + max(x, c(1)*c(2))
  end function value
end subroutine quad_gauss
