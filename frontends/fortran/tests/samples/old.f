C     Sums with everything that old programs have.
      DOUBLE PRECISION FUNCTION OLD(X, N)
      IMPLICIT DOUBLE PRECISION (A-H,O-Z)
      DIMENSION X(N), Y(2)
      CHARACTER*8 NAME, C*3
      PARAMETER (PI = 3.14D0, M = 2)
      COMMON /BLK/ B, A(M), K
      EXTERNAL G
      SAVE T
      DATA Y /2*1.5D0/, T /3.D0/
      F(U, V) = U*V + PI
C     The loop.
      OLD = 0
      DO 10, I = 1, N
   10 OLD = OLD + F(X(I), DSQRT(A(1)))
     1      * G(Y) ! product
      DO 30 I = 1, N
      DO 30 J = I, N, 2
      IF (X(I) .LT. 0.D0) GOTO 30
      IF (X(J)) 20, 30, 25
20    OLD = OLD - 1
      GO TO 30
25    OLD = OLD + 1
30    CONTINUE
      IF(OLD.GT.1.D3)GOTO99
      GOTO (40, 50), K
      WRITE(*,'(A,F8.3)') 'OLD = ', OLD
40    OLD = OLD*2
50    T = T + 1
99    RETURN
      END
      BLOCK DATA INIT
      COMMON /BLK/ B, A(2), K
      DOUBLE PRECISION B, A
      DATA B, A, K /1.D0, 2*2.D0, 1/
      END
