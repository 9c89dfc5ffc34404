* REAL*8, DIMENSION, blank COMMON under other names, adjustable arrays.
! legacy
! head: work(out)/(x,scal)
! decl: common scal, tab, ntab
! decl: real(8) :: scal, tab(3), scald, tabd(3), scalb, tabb(3)
! decl: integer :: ntab
! decl: common /blank_d/ scald, tabd
! decl: common /blank_b/ scalb, tabb
! global: scal, tab(3)=[1.5d0,0.5d0,2d0], ntab=3
! args: n=2, x(2,3), out(2)
      subroutine work(n, x, out)
      integer*4 n
      real*8 x, out
      dimension x(n, *), out(n)
      real*8 scal, tab
      common scal, tab(3), ntab
      do 20 i = 1, n
         out(i) = 0.0
         do 15 j = 1, ntab
            out(i) = out(i) + x(i, j)*tab(j)
            if (out(i) .gt. 1.2d0) out(i) = out(i)*scal
15       continue
20    continue
      call help(out, n)
      end
      subroutine help(v, n)
      real*8 v(n), s, tab(3)
      common s, tab, k
      do 10 i = 1, n
         v(i) = v(i)**2*s + tab(k)
10    continue
      end
