! BLAS 1 in the style of the reference implementation.
! head: daxpy(dy)/(da,dx,dy)
! args: n=5, da, dx(9), incx=2, dy(5), incy=-1
! head: ddot(ddot)/(dx,dy)
! args: n=7, dx(7), incx=1, dy(7), incy=1
! function
! head: dnrm(dnrm)/(x)
! args: n=4, x(8), incx=2
! function
      SUBROUTINE DAXPY(N,DA,DX,INCX,DY,INCY)
      DOUBLE PRECISION DA
      INTEGER INCX,INCY,N
      DOUBLE PRECISION DX(*),DY(*)
      INTEGER I,IX,IY,M,MP1
      INTRINSIC MOD
      IF (N.LE.0) RETURN
      IF (DA.EQ.0.0d0) RETURN
      IF (INCX.EQ.1 .AND. INCY.EQ.1) THEN
         M = MOD(N,4)
         IF (M.NE.0) THEN
            DO I = 1,M
               DY(I) = DY(I) + DA*DX(I)
            END DO
         END IF
         IF (N.LT.4) RETURN
         MP1 = M + 1
         DO I = MP1,N,4
            DY(I) = DY(I) + DA*DX(I)
            DY(I+1) = DY(I+1) + DA*DX(I+1)
            DY(I+2) = DY(I+2) + DA*DX(I+2)
            DY(I+3) = DY(I+3) + DA*DX(I+3)
         END DO
      ELSE
         IX = 1
         IY = 1
         IF (INCX.LT.0) IX = (-N+1)*INCX + 1
         IF (INCY.LT.0) IY = (-N+1)*INCY + 1
         DO I = 1,N
            DY(IY) = DY(IY) + DA*DX(IX)
            IX = IX + INCX
            IY = IY + INCY
         END DO
      END IF
      RETURN
      END
      DOUBLE PRECISION FUNCTION DDOT(N,DX,INCX,DY,INCY)
      INTEGER INCX,INCY,N
      DOUBLE PRECISION DX(*),DY(*)
      DOUBLE PRECISION DTEMP
      INTEGER I,M,MP1
      INTRINSIC MOD
      DDOT = 0.0d0
      DTEMP = 0.0d0
      IF (N.LE.0) RETURN
      IF (INCX.NE.1 .OR. INCY.NE.1) RETURN
      M = MOD(N,5)
      IF (M.NE.0) THEN
         DO I = 1,M
            DTEMP = DTEMP + DX(I)*DY(I)
         END DO
         IF (N.LT.5) THEN
            DDOT=DTEMP
            RETURN
         END IF
      END IF
      MP1 = M + 1
      DO I = MP1,N,5
       DTEMP = DTEMP + DX(I)*DY(I) + DX(I+1)*DY(I+1) +
     $         DX(I+2)*DY(I+2) + DX(I+3)*DY(I+3) + DX(I+4)*DY(I+4)
      END DO
      DDOT = DTEMP
      RETURN
      END
      DOUBLE PRECISION FUNCTION DNRM(N,X,INCX)
      INTEGER INCX,N
      DOUBLE PRECISION X(*)
      DOUBLE PRECISION ABSXI,NORM,SCALE,SSQ
      INTEGER IX
      SCALE = 0.0D+0
      SSQ = 1.0D+0
      DO 10 IX = 1,1 + (N-1)*INCX,INCX
         IF (X(IX).NE.0.0D+0) THEN
            ABSXI = ABS(X(IX))
            IF (SCALE.LT.ABSXI) THEN
               SSQ = 1.0D+0 + SSQ* (SCALE/ABSXI)**2
               SCALE = ABSXI
            ELSE
               SSQ = SSQ + (ABSXI/SCALE)**2
            END IF
         END IF
   10 CONTINUE
      NORM = SCALE*SQRT(SSQ)
      DNRM = NORM
      RETURN
      END
