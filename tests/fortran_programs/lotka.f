! legacy
! head: ODE(Y)/(Y,PAR)
! args: N=2, Y(2), T=0.d0, TOUT=1.d0, PAR(4), WORK(2,5)
      SUBROUTINE ODE(N,Y,T,TOUT,PAR,WORK)
      IMPLICIT REAL*8 (A-H,O-Z)
      DIMENSION Y(N),PAR(*),WORK(N,5)
      CHARACTER*8 NAME
      LOGICAL DONE
      EXTERNAL DERIV
      COMMON /STAT/ NFE, NSTEP
      DATA NAME /'RKF45'/
      NFE = 0
      NSTEP = 0
      H = (TOUT - T)/4
      DONE = .FALSE.
  100 IF (T + H .GE. TOUT - 1.D-12) THEN
        H = TOUT - T
        DONE = .TRUE.
      ENDIF
      CALL DERIV(N,T,Y,WORK(1,1),PAR)
      DO 10 I=1,N
   10 WORK(I,5)=Y(I)+H*WORK(I,1)/2
      CALL DERIV(N,T+H/2,WORK(1,5),WORK(1,2),PAR)
      DO 20 I=1,N
   20 WORK(I,5)=Y(I)+H*WORK(I,2)/2
      CALL DERIV(N,T+H/2,WORK(1,5),WORK(1,3),PAR)
      DO 30 I=1,N
   30 WORK(I,5)=Y(I)+H*WORK(I,3)
      CALL DERIV(N,T+H,WORK(1,5),WORK(1,4),PAR)
      DO 40 I=1,N
      Y(I)=Y(I)+H/6*(WORK(I,1)+2*WORK(I,2)+2*WORK(I,3)+WORK(I,4))
   40 CONTINUE
      NSTEP = NSTEP + 1
      T = T + H
      IF (.NOT. DONE) GOTO 100
      WRITE(6,900) NAME, NSTEP, (Y(I), I=1,N)
  900 FORMAT(1X,A8,I5,3(1PE14.6))
      RETURN
      END
      SUBROUTINE DERIV(N,T,Y,YP,PAR)
      IMPLICIT REAL*8 (A-H,O-Z)
      DIMENSION Y(N),YP(N),PAR(*)
      COMMON /STAT/ NFE, NSTEP
      NFE = NFE + 1
      YP(1) = PAR(1)*Y(1) - PAR(2)*Y(1)*Y(2)
      YP(2) = PAR(3)*Y(1)*Y(2) - PAR(4)*Y(2) + DSIN(T)
      END
