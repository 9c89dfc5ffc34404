! legacy
! head: solve(y)/(y,t0)
! args: neq=2, y(2)~, t0=0.1d0, h=0.05d0, nstep=3
      SUBROUTINE SOLVE(NEQ,Y,T0,H,NSTEP)
      IMPLICIT DOUBLE PRECISION (A-H,O-Z)
      EXTERNAL FCN
      DIMENSION Y(NEQ)
      T = T0
      DO 10 I = 1,NSTEP
        CALL RKSTEP(NEQ,FCN,T,Y,H)
   10 CONTINUE
      END
      SUBROUTINE RKSTEP(NEQ,FUN,T,Y,H)
      IMPLICIT DOUBLE PRECISION (A-H,O-Z)
      DIMENSION Y(NEQ),Y1(20),F1(20),F2(20)
      EXTERNAL FUN
      CALL FUN(NEQ,T,Y,F1)
      DO 20 I = 1,NEQ
   20 Y1(I) = Y(I) + 0.5D0*H*F1(I)
      CALL FUN(NEQ,T+0.5D0*H,Y1,F2)
      DO 30 I = 1,NEQ
   30 Y(I) = Y(I) + H*F2(I)
      T = T + H
      RETURN
      END
      SUBROUTINE FCN(N,X,Y,F)
      DOUBLE PRECISION X,Y(N),F(N)
      F(1) = Y(2)
      F(2) = ((1.D0-Y(1)**2)*Y(2)-Y(1))/0.3D0 + DSIN(X)
      RETURN
      END
