C     Machine constants out of shared storage, which only the original computes; numbers with blanks in them.
! head: series(y)/(x)
! args: x, y
      DOUBLE PRECISION FUNCTION CONST(I)
      INTEGER I, BITS(4)
      DOUBLE PRECISION VALUES(2)
      EQUIVALENCE (VALUES(1), BITS(1))
      VALUES(1) = 2.22 D-16
      VALUES(2) = 1.79 7693 D+308
      CONST = VALUES(I)
      RETURN
      END

      SUBROUTINE SERIES(X, Y)
      DOUBLE PRECISION X, Y, C(4), EPS, BIG, T, CONST
      INTEGER I, N
      SAVE C
      DATA C( 1) / +.1666389480 4518632472 D+0 /
      DATA C( 2), C(3) / -.1384948176 067 D-4, .9810 825646 9 D-8 /
      DATA C(4) / 0.5 E 0 /
      EPS = 0.5D0*CONST(1)
      BIG = CONST(2)
      N = 4
      IF (ABS(X) .GT. BIG) N = 1
      Y = 0.D0
      T = 1 . 0 D 0 + EPS
      DO 1 0 I = 1, N
         Y = Y + C(I)*T
         T = T*SIN(X)
   10 CONTINUE
      END
