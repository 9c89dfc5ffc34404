! Everything is saved, as old programs have it, and nothing is kept.
! head: saved_work(r)/(x)
! args: n=4, x(4), r
      subroutine normed(n, x, y)
      integer n, i
      double precision x(n), y(n), w(64), s
      save
      s = 0d0
      do 10 i = 1, n
        w(i) = x(i)**2
        s = s + w(i)
   10 continue
      do 20 i = 1, n
        y(i) = w(i)/s
   20 continue
      end

      subroutine saved_work(n, x, r)
      integer n, i, j, m, nmax
      parameter (nmax=16)
      double precision x(n), r, y(64), a(nmax,nmax), z(nmax)
      save y, a, z, m
      call normed(n, x, y)
      m = n - 1
      do 20 j = 1, m
        z(j) = 0d0
        do 10 i = 1, m
          a(i,j) = y(i)*x(j)
          z(j) = z(j) + a(i,j)**2
   10   continue
   20 continue
      r = 0d0
      do 30 j = 1, m
        if (z(j) .gt. 1d6) goto 40
        r = r + sin(z(j))*a(1,j)
   30 continue
   40 r = r*y(n)
      end
