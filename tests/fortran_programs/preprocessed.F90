! head: rates(r)/(c,k)
! use: kinetics
! args: c(3), k(2), r(3)
#include "model_config.h"
#ifdef SINGLE
#define REALK 4
#else
#define REALK 8
#endif
module kinetics
  implicit none
#if REALK == 8
  integer, parameter :: rk = kind(1.d0)
#else
  integer, parameter :: rk = kind(1.e0)
#endif
contains
  ! Rates of three species.
  subroutine rates(c, k, r)
    real(rk), intent(in) :: c(NSPEC), k(2)
    real(rk), intent(out) :: r(NSPEC)
    integer :: i
#ifdef DEBUG
    print *, 'rates', c
#endif
    do i = 1, NSPEC
      r(i) = SQ(c(i))*k(1)
    end do
#ifndef NO_COUPLING
    r(1) = r(1) - k(2)*c(1)*c(NSPEC)
#endif
  end subroutine rates
end module kinetics
