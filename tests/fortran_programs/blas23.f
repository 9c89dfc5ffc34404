! DGEMV and DGEMM with LDA and character arguments.
! head: dgemv(y)/(alpha,a,x,beta,y)
! args: trans='T', m=3, n=2, alpha, a(4,2), lda=4, x(3), incx=1, beta, y(2), incy=1
! head: dgemm(c)/(a,b,c,alpha,beta)
! args: transa='N', m=2, n=3, k=2, alpha, a(3,2), lda=3, b(2,3), ldb=2, beta, c(2,3), ldc=2
      SUBROUTINE DGEMV(TRANS,M,N,ALPHA,A,LDA,X,INCX,BETA,Y,INCY)
      DOUBLE PRECISION ALPHA,BETA
      INTEGER INCX,INCY,LDA,M,N
      CHARACTER TRANS
      DOUBLE PRECISION A(LDA,*),X(*),Y(*)
      DOUBLE PRECISION ONE,ZERO
      PARAMETER (ONE=1.0D+0,ZERO=0.0D+0)
      DOUBLE PRECISION TEMP
      INTEGER I,J,JX,JY,LENX,LENY
      LOGICAL LSAME
      EXTERNAL LSAME
      IF ((M.EQ.0) .OR. (N.EQ.0) .OR.
     +    ((ALPHA.EQ.ZERO).AND. (BETA.EQ.ONE))) RETURN
      IF (LSAME(TRANS,'N')) THEN
          LENX = N
          LENY = M
      ELSE
          LENX = M
          LENY = N
      END IF
      IF (BETA.NE.ONE) THEN
          IF (BETA.EQ.ZERO) THEN
              DO 20 I = 1,LENY
                  Y(I) = ZERO
   20         CONTINUE
          ELSE
              DO 30 I = 1,LENY
                  Y(I) = BETA*Y(I)
   30         CONTINUE
          END IF
      END IF
      IF (ALPHA.EQ.ZERO) RETURN
      IF (LSAME(TRANS,'N')) THEN
          JX = 1
          DO 60 J = 1,N
              TEMP = ALPHA*X(JX)
              DO 50 I = 1,M
                  Y(I) = Y(I) + TEMP*A(I,J)
   50         CONTINUE
              JX = JX + INCX
   60     CONTINUE
      ELSE
          JY = 1
          DO 100 J = 1,N
              TEMP = ZERO
              DO 90 I = 1,M
                  TEMP = TEMP + A(I,J)*X(I)
   90         CONTINUE
              Y(JY) = Y(JY) + ALPHA*TEMP
              JY = JY + INCY
  100     CONTINUE
      END IF
      RETURN
      END
      LOGICAL FUNCTION LSAME(CA,CB)
      CHARACTER CA,CB
      LSAME = CA .EQ. CB
      RETURN
      END
      SUBROUTINE DGEMM(TRANSA,M,N,K,ALPHA,A,LDA,B,LDB,BETA,C,LDC)
      CHARACTER TRANSA
      INTEGER K,LDA,LDB,LDC,M,N,I,J,L
      DOUBLE PRECISION ALPHA,BETA,TEMP
      DOUBLE PRECISION A(LDA,*),B(LDB,*),C(LDC,*)
      DO 90 J = 1,N
          DO 60 I = 1,M
              C(I,J) = BETA*C(I,J)
   60     CONTINUE
          DO 80 L = 1,K
              TEMP = ALPHA*B(L,J)
              IF (TRANSA .EQ. 'N') THEN
              DO 70 I = 1,M
                  C(I,J) = C(I,J) + TEMP*A(I,L)
   70         CONTINUE
              ELSE
              DO 75 I = 1,M
                  C(I,J) = C(I,J) + TEMP*A(L,I)
   75         CONTINUE
              END IF
   80     CONTINUE
   90 CONTINUE
      RETURN
      END
