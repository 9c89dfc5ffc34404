! Arrays of unknown length that the unit overwrites: their adjoints are kept apart as far as they are named.
! head: as_far_as_named(y)/(x,a)
! args: n=4, x(4), a(3,4), y
      subroutine as_far_as_named(n, x, a, y)
      integer n, i
      double precision x(*), a(3,*), y
      y = 0
      do 10 i = 1, n
        x(i) = x(i)*x(i) + a(1,i)
        a(3,i) = a(3,i)*a(2,i)
        y = y + x(i)*x(1)*a(3,i)
 10   continue
      end
