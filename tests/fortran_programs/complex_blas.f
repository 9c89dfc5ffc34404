! legacy
! Complex numbers in old programs: external functions, specific names, arrays without an end.
! head: csolve(r)/(x,d)
! args: n=3, x(3), d(3), r(2)
      SUBROUTINE CSOLVE(N, X, D, R)
      INTEGER N
      DOUBLE PRECISION X(N), D(N), R(2)
      COMPLEX*16 A(3), B(3), C(3, 2), S, ZDOT
      INTEGER I
      DO 10 I = 1, N
         A(I) = DCMPLX(X(I), D(I))
         B(I) = DCONJG(A(I))*(0.5D0, 1.0D0)
   10 CONTINUE
      CALL ZSCAL(N, A(1)/(2.0D0, 1.0D0), B, 1)
      DO 15 I = 1, N
         C(I, 1) = A(I)
         C(I, 2) = B(I)*A(I)
   15 CONTINUE
      CALL SQUARE(N, C(1, 2))
      CALL SQUARE(2, C)
      B(1) = C(1, 2)/C(2, 1)
      S = ZDOT(N, A, 1, B, 1) + CDEXP(A(2)*0.1D0)
      IF (CDABS(S) .GT. 1.0D0) S = S/CDSQRT(S)
      R(1) = DREAL(S)
      R(2) = DIMAG(S)*CDABS(S)
      END
      DOUBLE COMPLEX FUNCTION ZDOT(N, ZX, INCX, ZY, INCY)
      INTEGER N, INCX, INCY, I
      COMPLEX*16 ZX(*), ZY(*)
      ZDOT = (0.0D0, 0.0D0)
      DO 20 I = 1, N
         ZDOT = ZDOT + ZX((I - 1)*INCX + 1)*ZY((I - 1)*INCY + 1)
   20 CONTINUE
      END
      SUBROUTINE SQUARE(N, Z)
      INTEGER N
      COMPLEX*16 Z(N)
      Z = Z*Z
      END
      SUBROUTINE ZSCAL(N, ZA, ZX, INCX)
      INTEGER N, INCX, I
      COMPLEX*16 ZA, ZX(*)
      DO 30 I = 1, N
         ZX((I - 1)*INCX + 1) = ZA*ZX((I - 1)*INCX + 1)
   30 CONTINUE
      END
