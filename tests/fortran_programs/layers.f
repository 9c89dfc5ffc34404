! A helper whose input is data in one call and has a derivative in the next, without a length that is declared.
! head: layers(s)/(w)
! args: n=3, w(3,3), x(3), s
      SUBROUTINE LAYER(W,N,X,Y)
      INTEGER N,I,J
      DOUBLE PRECISION W(N,*),X(*),Y(*)
      DO 20 I=1,N
        Y(I)=0D0
        DO 10 J=1,N
          Y(I)=Y(I)+W(I,J)*X(J)
   10   CONTINUE
        Y(I)=TANH(Y(I))
   20 CONTINUE
      END
      SUBROUTINE LAYERS(N,W,X,S)
      INTEGER N,I
      DOUBLE PRECISION W(N,*),X(*),S,H(50),Y(50)
      CALL LAYER(W,N,X,H)
      CALL LAYER(W,N,H,Y)
      S=0D0
      DO 30 I=1,N
        S=S+Y(I)**2
   30 CONTINUE
      END
