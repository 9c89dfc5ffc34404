! legacy
! head: top(y)/(x,c)
! decl: double precision e, ed, eb, c, cd, cb
! decl: common /blk/ e, c
! decl: common /blk_d/ ed, cd
! decl: common /blk_b/ eb, cb
! args: x, y
! global: c
C     Units that name a block's variables otherwise, and differ in a part that only one of them uses.
      subroutine top(x, y)
      double precision x, y
      call low(x)
      call low2(y)
      end
      subroutine low(x)
      double precision x, e, c
      common /blk/ e, c
      e = c*x + c**2
      end
      subroutine low2(y)
      double precision y, g, h, z(2)
      integer k, l
      common /blk/ g, h
      common /tab/ k(2), z
      k(1) = 2
      k(2) = 1
      z(1) = g
      z(2) = h
      call low3(y)
      l = k(2)
      y = y*z(l)
      end
      subroutine low3(y)
      double precision y, g, h, z(2)
      integer k1, k2
      common /blk/ g, h
      common /tab/ k1, k2, z
      y = sin(g)*h*z(2)
      end
