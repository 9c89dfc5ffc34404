! head: orbit(xyz)/(el,t)
! use: kepler
! args: el(6)=[1.1d0,0.3d0,0.5d0,0.2d0,0.4d0,0.1d0], t=0.7d0, xyz(3)
module kepler
  use, intrinsic :: iso_fortran_env, only: wp => real64, error_unit
  implicit none
  real(wp), parameter :: mu = 1.0_wp, tol = 1.0e-13_wp
contains
  function solve_kepler(m, e) result(ea)
    real(wp), intent(in) :: m, e
    real(wp) :: ea, d
    integer :: it
    ea = m
    newton: do it = 1, 50
      d = (ea - e*sin(ea) - m)/(1 - e*cos(ea))
      ea = ea - d
      if (abs(d) < tol) exit newton
      if (it == 50) write (error_unit, '(a,es12.4)') 'no convergence ', d
    end do newton
  end function solve_kepler
  subroutine orbit(el, t, xyz)
    real(wp), intent(in) :: el(6), t
    real(wp), intent(out) :: xyz(3)
    real(wp) :: rot(3, 3), ea, nu, r, m, p(3)
    associate (a => el(1), e => el(2), inc => el(3), node => el(4), peri => el(5), m0 => el(6))
      m = modulo(m0 + sqrt(mu/a**3)*t, 8*atan(1.0_wp))
      ea = solve_kepler(m, e)
      nu = 2*atan2(sqrt(1 + e)*sin(ea/2), sqrt(1 - e)*cos(ea/2))
      r = a*(1 - e*cos(ea))
      p = r*[cos(nu + peri), sin(nu + peri), 0.0_wp]
      rot(:, 1) = [cos(node), sin(node), 0.0_wp]
      rot(:, 2) = [-sin(node)*cos(inc), cos(node)*cos(inc), sin(inc)]
      rot(:, 3) = [sin(node)*sin(inc), -cos(node)*sin(inc), cos(inc)]
    end associate
    xyz = matmul(rot, p)
  end subroutine orbit
end module kepler
