! Two-stream radiation over columns, derived quantities in module variables, table interpolation.
! head: two_stream(flux_up,heating)/(temp,q)
! use: radiation_mod
! args: ncol=2, nlev=3, temp(2,3)=[281.d0,274.d0,262.d0,254.d0,233.d0,224.d0], q(2,3), albedo(2), flux_up(2,4), heating(2,3)
module kinds_mod
  implicit none
  integer, parameter :: sp = selected_real_kind(6, 37), dp = selected_real_kind(13, 300)
  integer, parameter :: wp = dp
end module kinds_mod

module table_mod
  use kinds_mod, only: wp
  implicit none
  integer, parameter :: nt = 5
  real(wp), parameter :: tgrid(nt) = [200.0_wp, 230.0_wp, 260.0_wp, 290.0_wp, 320.0_wp]
  real(wp), parameter :: kabs(nt) = [0.1_wp, 0.15_wp, 0.23_wp, 0.3_wp, 0.34_wp]
contains
  pure integer function find(t) result(i)
    real(wp), intent(in) :: t
    integer :: lo, hi, mid
    lo = 1
    hi = nt
    do while (hi - lo > 1)
      mid = (lo + hi)/2
      if (tgrid(mid) <= t) then
        lo = mid
      else
        hi = mid
      end if
    end do
    i = lo
  end function find

  pure function lookup(t) result(k)
    real(wp), intent(in) :: t
    real(wp) :: k, w
    integer :: i
    i = find(t)
    w = (t - tgrid(i))/(tgrid(i+1) - tgrid(i))
    k = (1.0_wp - w)*kabs(i) + w*kabs(i+1)
  end function lookup
end module table_mod

module radiation_mod
  use kinds_mod
  use table_mod, only: lookup
  implicit none
  real(wp), parameter :: sigma = 5.67e-8_wp
  real(wp), save :: diffusivity = 1.66_wp
contains
  subroutine two_stream(ncol, nlev, temp, q, albedo, flux_up, heating)
    integer, intent(in) :: ncol, nlev
    real(wp), intent(in) :: temp(ncol, nlev), q(ncol, nlev), albedo(ncol)
    real(wp), intent(out) :: flux_up(ncol, 0:nlev), heating(ncol, nlev)
    real(wp), dimension(ncol, nlev) :: tau, trans, planck
    real(wp), dimension(ncol, 0:nlev) :: flux_dn
    integer :: jc, jk
    do jk = 1, nlev
      do jc = 1, ncol
        tau(jc, jk) = lookup(temp(jc, jk))*q(jc, jk)
      end do
    end do
    trans = exp(-diffusivity*tau)
    where (tau < 1.0e-3_wp)
      trans = 1.0_wp - diffusivity*tau
    end where
    planck = sigma*temp**4
    flux_dn(:, 0) = 0.0_wp
    do jk = 1, nlev
      flux_dn(:, jk) = flux_dn(:, jk-1)*trans(:, jk) + planck(:, jk)*(1.0_wp - trans(:, jk))
    end do
    flux_up(:, nlev) = albedo*flux_dn(:, nlev) + (1.0_wp - albedo)*sigma*temp(:, nlev)**4
    do jk = nlev, 1, -1
      flux_up(:, jk-1) = flux_up(:, jk)*trans(:, jk) + planck(:, jk)*(1.0_wp - trans(:, jk))
    end do
    do concurrent (jk = 1:nlev, jc = 1:ncol)
      heating(jc, jk) = (flux_up(jc, jk) - flux_up(jc, jk-1)) + (flux_dn(jc, jk-1) - flux_dn(jc, jk))
    end do
    heating = merge(heating, 0.5_wp*heating, heating > 0.0_wp)
  end subroutine two_stream
end module radiation_mod
