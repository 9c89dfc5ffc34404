! Results that are put where an argument was read: the standard forbids it, old codes do it.
! head: in_place(v)/(v,h)
! args: n=5, v(5), h
      SUBROUTINE STEP(Y,DYDX,N,H,YOUT)
      INTEGER N,I
      DOUBLE PRECISION Y(N),DYDX(N),H,YOUT(N)
      DO 10 I=1,N
        YOUT(I)=Y(I)+H*DYDX(I)*Y(I)
   10 CONTINUE
      END
      SUBROUTINE IN_PLACE(N,V,H)
      INTEGER N,K
      DOUBLE PRECISION V(N),H,DV(9)
      DO 20 K=1,3
        DV(1)=-V(2)
        DV(2)=V(1)*V(3)
        DV(3)=-V(4)
        DV(4)=V(5)
        DV(5)=-V(1)
        CALL STEP(V,DV,5,0.1D0*H,V)
   20 CONTINUE
      END
