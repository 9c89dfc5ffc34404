! Column physics: implicit vertical diffusion with a Richardson number closure.
! head: vertical_mixing(temp,salt)/(temp,salt,u)
! use: vmix
! args: nz=6, dt=3600.d0, temp(6), salt(6), u(6)
module params
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  private
  integer, parameter, public :: r8 = real64
  real(r8), parameter, public :: grav = 9.81_r8, rho0 = 1025.0_r8
  real(r8), public, protected :: nu0 = 0.01_r8
end module params
module vmix
  use params, only: r8, grav, rho0, nu0
  implicit none
  private
  public :: vertical_mixing
  real(r8), parameter :: alpha = 2.0e-4_r8, beta = 7.5e-4_r8, dz = 10.0_r8
  interface density
    module procedure density_lin
  end interface
contains
  pure elemental real(r8) function density_lin(t, s) result(rho)
    real(r8), intent(in) :: t, s
    rho = rho0*(1.0_r8 - alpha*(t - 10.0_r8) + beta*(s - 35.0_r8))
  end function density_lin

  subroutine vertical_mixing(nz, dt, temp, salt, u)
    integer, intent(in) :: nz
    real(r8), intent(in) :: dt
    real(r8), dimension(nz), intent(inout) :: temp, salt
    real(r8), dimension(nz), intent(in) :: u
    real(r8), dimension(nz) :: rho, kv
    real(r8) :: n2, s2, ri
    integer :: k
    rho(:) = density(temp, salt)
    kv(1) = 0.0_r8
    do k = 2, nz
      n2 = -grav/rho0*(rho(k-1) - rho(k))/dz
      s2 = ((u(k) - u(k-1))/dz)**2 + 1.0e-8_r8
      ri = n2/s2
      select case (int(ri))
      case (:-1)
        kv(k) = 0.1_r8
      case (0)
        kv(k) = nu0/(1.0_r8 + 5.0_r8*max(ri, 0.0_r8))**2 + 1.0e-4_r8
      case default
        kv(k) = 1.0e-4_r8*(1 + 0.01_r8*tanh(ri*1e-4_r8))
      end select
    end do
    call diffuse(temp)
    call diffuse(salt)
  contains
    subroutine diffuse(q)
      real(r8), intent(inout) :: q(:)
      real(r8), dimension(size(q)) :: a, b, c, gam
      real(r8) :: bet
      integer :: i
      a = 0; c = 0
      a(2:) = -dt*kv(2:)/dz**2
      c(:nz-1) = -dt*kv(2:nz)/dz**2
      b = 1.0_r8 - a - c
      bet = b(1)
      q(1) = q(1)/bet
      do i = 2, nz
        gam(i) = c(i-1)/bet
        bet = b(i) - a(i)*gam(i)
        q(i) = (q(i) - a(i)*q(i-1))/bet
      end do
      do i = nz - 1, 1, -1
        q(i) = q(i) - gam(i+1)*q(i+1)
      end do
    end subroutine diffuse
  end subroutine vertical_mixing
end module vmix
