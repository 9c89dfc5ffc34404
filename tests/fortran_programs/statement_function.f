C     Statement functions and implicit typing; SAVE and DATA.
! head: f(y)/(x)
! args: x, y
      SUBROUTINE F(X, Y)
      DOUBLE PRECISION X, Y, SQ, CUBE, A, B, C
      INTEGER I
      DOUBLE PRECISION W(3)
      SAVE W
      DATA W /1.0D0, 2.0D0, 0.5D0/
      SQ(A) = A*A
      CUBE(B, C) = B*SQ(C) + W(2)
      Y = 0
      DO 5 I = 1, 3
      Y = Y + W(I)*CUBE(X, SQ(X) + Y)
    5 CONTINUE
      END
