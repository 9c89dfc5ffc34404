! GOTO, computed GOTO, arithmetic IF, shared labels, implicit typing.
! legacy
! head: jump(y)/(x)
! args: n=6, x(6)=[0.4d0,-0.6d0,0.25d0,1.3d0,0.9d0,-0.2d0], y
      subroutine jump(n, x, y)
      implicit double precision (a-h, o-z)
      dimension x(n)
      y = 1
      k = 0
      do 40 i = 1, n
        if (x(i)) 10, 20, 30
10      y = y - x(i)*y
        go to 40
20      y = y*2
        go to 40
30      y = y + sin(x(i))
        k = mod(k, 3) + 1
        go to (31, 32), k
        y = y*x(1)
        go to 40
31      y = y + x(i)**2
32      y = y*1.1d0
40    continue
      m = 0
50    if (m .ge. 3) go to 60
      y = y*x(m+1) + x(6)
      m = m + 1
      go to 50
60    return
      end
