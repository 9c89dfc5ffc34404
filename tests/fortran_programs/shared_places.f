! legacy
C     EQUIVALENCE of one type: elements, sections, columns and rows, calls that get all from an element on, places that overlap.
! head: top(y)/(x)
! args: n=4, x(4), y
      subroutine top(n, x, y)
      integer n, i, j
      double precision x(n), y, a(3,4), r(12), d(3), e, t, sq
      equivalence (a(1,1), r(1)), (d, a(1,2)), (e, r(12))
      sq(t) = t*r(2)
      do 10 j = 1, 4
        do 10 i = 1, 3
          a(i,j) = x(i)*j
   10 continue
      d(2) = d(1)*a(3,2) + sq(x(4))
      call half(a, 3, 4)
      e = e*r(5)
      do 20 i = 1, n
        r(i) = r(i+1)*r(i)
   20 continue
      r(2:6) = r(1:5)*e
      call half(a(1,2), 3, 2)
      d = d + a(:,3)
      y = sum(d*a(:,3)) + a(1,1)*dot_product(a(2,:), r(1:4)) + r(12)
      call kept(x(1), y)
      end
      subroutine half(a, m, k)
      integer m, k, i, j
      double precision a(m,*)
      do 10 j = 1, k
        do 10 i = 1, m
          a(i,j) = a(i,j)*a(1,j) + sin(a(m,j))
   10 continue
      end
C     One name has the initial values, the other one uses them.
      subroutine kept(x, y)
      double precision x, y, w(3), v(2)
      equivalence (w(2), v(1))
      data w /2d0, 3d0, 4d0/
      y = y + w(1)*x*v(1) + v(2)*x**2
      end
