! legacy
C     COMMON blocks that units lay out differently: numbers behind one another, integers behind them, blank COMMON, EQUIVALENCE with a part of a block.
! head: top(y)/(x)
! args: x, y
      subroutine top(x, y)
      double precision x, y, a, b, c(3), v(4), q, p
      integer ns, m(2)
      common /lay/ a, b, c, ns, m
      equivalence (v(1), b)
      common q(2), p
      ns = 3
      a = x*x
      v(1) = sin(x)
      v(2) = x*b
      m(2) = 2
      q(1) = x
      q(2) = 1d0
      p = b
      call low(x)
      y = c(3)*c(2) + v(1) + p*q(1)
      end
      subroutine low(x)
      double precision x, r(5), z
      integer i1(3), k
      common /lay/ r, i1
      common z(3)
      do 10 k = 1, i1(1)
        r(k+2) = r(k+1)*r(1)*i1(3) + x
   10 continue
      z(3) = z(3)*z(1)*z(2)
      call least(x)
      end
      subroutine least(t)
      double precision t, a1, a2(2,2), u, w(10)
      integer n1, n2, n3, i
      common /lay/ a1, a2, n1, n2, n3
      common u(2)
      do 20 i = 1, n1
        w(i) = a2(1,2)*t*i
        a2(2,2) = a2(2,2) + w(i)*a2(2,1)
   20 continue
      u(1) = u(1)*u(2)*a1
      end
