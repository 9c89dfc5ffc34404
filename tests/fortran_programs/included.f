! legacy
! head: heat(dt)/(flux,theta)
! decl: real*8 theta(4), exner(4), thetad(4), exnerd(4), thetab(4), exnerb(4)
! decl: common /column/ theta, exner
! decl: common /column_d/ thetad, exnerd
! decl: common /column_b/ thetab, exnerb
! args: flux(5), dt(4)
! global: theta(4), exner(4)=[0.9d0,0.8d0,0.7d0,0.6d0]
      subroutine heat(flux, dt)
      include 'constants.inc'
      real*8 flux(nlev+1), dt(nlev)
      integer k
      do 10 k = 1, nlev
         dt(k) = grav/cp*(flux(k+1) - flux(k))*exner(k)
         if (dt(k) .lt. 0.d0) go to 10
         dt(k) = dt(k)*theta(k)
   10 continue
      end
