! legacy
! head: top(y)/(x,c)
! decl: double precision e, ed, eb, c, cd, cb
! decl: common /blk/ e, c
! decl: common /blk_d/ ed, cd
! decl: common /blk_b/ eb, cb
! args: x, y
! global: c
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
      double precision y, e, c
      common /blk/ e, c
      y = sin(e)*c
      end
