! Upwind advection on a ring with slopes limited by minmod. The velocity is that of the face behind a cell, and may change its sign.
subroutine advection(n, steps, r, v, u)
  implicit none
  integer, intent(in) :: n, steps
  double precision, intent(in) :: r, v(n)
  double precision, intent(inout) :: u(n)
  double precision :: slope(n), flux(n), c(n)
  integer :: before(n), behind(n), t, i
  before = [n, (i, i=1, n - 1)]
  behind = [(i, i=2, n), 1]
  c = r*v
  do t = 1, steps
    slope = minmod(u - u(before), u(behind) - u)
    where (c > 0)
      flux = c*(u + 0.5d0*(1 - c)*slope)
    elsewhere
      flux = c*(u(behind) - 0.5d0*(1 + c)*slope(behind))
    end where
    u = u - (flux - flux(before))
  end do
contains
  elemental double precision function minmod(a, b)
    double precision, intent(in) :: a, b
    if (a*b <= 0) then
      minmod = 0
    else if (abs(a) < abs(b)) then
      minmod = a
    else
      minmod = b
    end if
  end function minmod
end subroutine advection
