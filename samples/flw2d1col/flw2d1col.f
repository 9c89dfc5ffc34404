C     Fluxes gathered from and scattered to the two ends of each mesh
C     segment.
      subroutine FLW2D1COL(nsg1,nsg2,nubo,t3,pres,vnocl,
     +  g3,g4,rh3,rh4,ns,nseg,sq)
      integer nsg1,nsg2,ns,nseg,nubo(2,nseg),is1,is2
      real*8 t3(ns),g3(ns),g4(ns),rh3(ns),rh4(ns),pres(ns)
      real*8 vnocl(2,nseg),qsor,qs,pm,dplim,sq
C
      do 30 iseg=nsg1,nsg2
        is1 = nubo(1,iseg)
        is2 = nubo(2,iseg)
        qsor = t3(is1)*vnocl(2,iseg)
        qs = t3(is2)*vnocl(2,iseg)
        dplim = qsor*g4(is1)+qs*g4(is2)
        rh4(is1) = rh4(is1) + dplim
        rh4(is2) = rh4(is2) - dplim
        pm = pres(is1)+pres(is2)
        dplim = qsor*g3(is1)+qs*g3(is2)+pm*vnocl(2,iseg)
        rh3(is1) = rh3(is1) + dplim
        rh3(is2) = rh3(is2) - dplim
        call LSTCHK(pm,sq)
30    continue
      end

C     A stand-in for the check of the last value: sums up the squares.
      subroutine LSTCHK(pm,sq)
      real*8 pm,sq
      sq = sq + pm*pm
      end
