! Tridiagonal solver, fixed form with labelled loops.
! head: tridag(u)/(a,b,c,r)
! args: a(5), b(5)=[3d0,4d0,3.5d0,5d0,4.4d0], c(5), r(5), u(5), n=5
      subroutine tridag(a, b, c, r, u, n)
      implicit none
      integer n, nmax
      double precision a(n), b(n), c(n), r(n), u(n)
      parameter (nmax = 100)
      integer j
      double precision bet, gam(nmax)
      if (b(1) .eq. 0.d0) stop 'tridag: rewrite equations'
      bet = b(1)
      u(1) = r(1)/bet
      do 11 j = 2, n
        gam(j) = c(j-1)/bet
        bet = b(j) - a(j)*gam(j)
        if (bet .eq. 0.d0) stop 'tridag failed'
        u(j) = (r(j) - a(j)*u(j-1))
     &       /bet
11    continue
      do 12 j = n-1, 1, -1
        u(j) = u(j) - gam(j+1)*u(j+1)
12    continue
      return
      end
