! Types of one name in several modules, each known by what is around it; a type under another name than its own.
! head: both(y)/(x)
! use: types_of_one_name
! args: x(3), y
! head: coupled(y)/(x)
! use: types_of_one_name
! args: x(3), y
module water_of_one_name
  implicit none
  private
  type :: state
    real(8) :: ice = 0
    real(8) :: layers(3) = 0
  end type
  type, public :: water
    type(state) :: now
  end type
end module
module energy_of_one_name
  implicit none
  private
  type, public :: state
    real(8) :: heat = 0, flux = 0
  end type
  type, public :: energy
    type(state) :: now
    type(state) :: before
  end type
end module
module types_of_one_name
  use water_of_one_name, only: water
  use energy_of_one_name, only: energy, thermal => state
  implicit none
  type column
    type(water) :: w
    type(energy) :: e
  end type
contains
  subroutine melt(c, rate)
    type(column), intent(inout) :: c
    real(8), intent(in) :: rate
    c%e%before = c%e%now
    c%w%now%ice = c%w%now%ice*rate - c%e%now%heat**2
    c%w%now%layers(2:3) = c%w%now%layers(2:3)*c%w%now%ice
    c%e%now%flux = sin(c%e%before%heat)*c%w%now%layers(2)
  end subroutine
  subroutine both(x, y)
    real(8), intent(in) :: x(3)
    real(8), intent(out) :: y
    type(column) :: c
    integer :: k
    c%w%now%ice = x(1)
    c%w%now%layers = x
    c%e%now%heat = x(2)
    do k = 1, 2
      call melt(c, x(3))
    end do
    y = c%w%now%ice + sum(c%w%now%layers) + c%e%now%flux*c%e%before%heat
  end subroutine
  subroutine coupled(x, y)
    real(8), intent(in) :: x(3)
    real(8), intent(out) :: y
    type(thermal) :: t, u
    t%heat = x(1)*x(2)
    t%flux = x(3)
    u = t
    u%heat = u%heat*t%flux
    y = u%heat**2 + t%heat
  end subroutine
end module
