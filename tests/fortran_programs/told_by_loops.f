! Arrays without an extent that are overwritten: loops and what is set behind them tell how far the unit goes through them.
! head: tridiagonal(b)/(l,d,u,b)
! args: n=5, l(4), d(5), u(4), b(5)
! head: ahead(y)/(d,e)
! args: n=4, m=3, d(4), e(4), y(4)
      subroutine tridiagonal(n, l, d, u, b)
      integer n, i
      double precision l(*), d(*), u(*), b(*), f
      do 10 i = 1, n - 2
        f = l(i)/(d(i) + 4d0)
        d(i+1) = d(i+1) + 4d0 - f*u(i)
        b(i+1) = b(i+1) - f*b(i)
        l(i) = 0d0
   10 continue
      if (n .gt. 1) then
        i = n - 1
        f = l(i)/d(i)
        d(i+1) = d(i+1) + 4d0 - f*u(i)
        b(i+1) = b(i+1) - f*b(i)
        u(i) = 2d0*u(i)
      end if
      b(n) = b(n)/d(n)
      do 20 i = n - 1, 1, -1
        b(i) = (b(i) - u(i)*b(i+1))/(d(i) + 5d0)
   20 continue
      end
      subroutine ahead(n, m, d, e, y)
      integer n, m, i, k
      double precision d(*), e(*), y(*)
      do 30 i = 1, n - 1
        d(i+1) = d(i+1) - e(i)*d(i)
        y(i) = d(i+1)**2
   30 continue
      do 40 k = 1, m
        d(k) = d(k)*e(k)
   40 continue
      y(n) = d(1)*d(m)
      end
