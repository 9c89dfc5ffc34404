C Heads that get procedures whose interface is not explicit.
      subroutine steps(rhs, neq, t, y, h, nstep)
      integer neq, nstep, i, j
      double precision t, y(neq), h, yd(20)
      external rhs
      do 20 i = 1, nstep
        call rhs(neq, t, y, yd)
        do 10 j = 1, neq
          y(j) = y(j) + h*yd(j)
   10   continue
        t = t + h
   20 continue
      end
      subroutine parts(f, x, y)
      double precision f, x, y, w(4), g
      integer k
      external f, g
      w(1) = x
      w(2) = sin(x)
      w(3) = 0.5d0
      w(4) = x*x
      y = 0
      do 10 k = 1, 3
        y = y + f(w(k))*w(k+1)
   10 continue
      y = g(f, y)*y
      end
      double precision function g(q, z)
      double precision q, z
      external q
      g = q(z) + q(z*z)
      end
