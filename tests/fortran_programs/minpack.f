! legacy
! head: enorm(enorm)/(x)
! function
! args: n=4, x(4)
! head: qrfac(a,rdiag)/(a)
! args: m=4, n=3, a(4,3), lda=4, rdiag(3), acnorm(3), wa(3)
! head: rosen(fvec)/(x)
! args: n=4, x(4), fvec(4), iflag=1
      double precision function enorm(n,x)
      integer n
      double precision x(n)
      integer i
      double precision agiant,floatn,one,rdwarf,rgiant,s1,s2,s3,xabs,
     *                 x1max,x3max,zero
      data one,zero,rdwarf,rgiant /1.0d0,0.0d0,3.834d-20,1.304d19/
      s1 = zero
      s2 = zero
      s3 = zero
      x1max = zero
      x3max = zero
      floatn = n
      agiant = rgiant/floatn
      do 90 i = 1, n
         xabs = dabs(x(i))
         if (xabs .gt. rdwarf .and. xabs .lt. agiant) go to 70
            if (xabs .le. rdwarf) go to 30
c
c              sum for large components.
c
               if (xabs .le. x1max) go to 10
                  s1 = one + s1*(x1max/xabs)**2
                  x1max = xabs
                  go to 20
   10          continue
                  s1 = s1 + (xabs/x1max)**2
   20          continue
               go to 60
   30       continue
c              sum for small components.
               if (xabs .le. x3max) go to 40
                  s3 = one + s3*(x3max/xabs)**2
                  x3max = xabs
                  go to 50
   40          continue
                  if (xabs .ne. zero) s3 = s3 + (xabs/x3max)**2
   50          continue
   60       continue
            go to 80
   70    continue
            s2 = s2 + xabs**2
   80    continue
   90    continue
      if (s1 .eq. zero) go to 100
         enorm = x1max*dsqrt(s1+(s2/x1max)/x1max)
         go to 130
  100 continue
         if (s2 .eq. zero) go to 110
            if (s2 .ge. x3max)
     *         enorm = dsqrt(s2*(one+(x3max/s2)*(x3max*s3)))
            if (s2 .lt. x3max)
     *         enorm = dsqrt(x3max*((s2/x3max)+(x3max*s3)))
            go to 120
  110    continue
            enorm = x3max*dsqrt(s3)
  120    continue
  130 continue
      return
      end
      subroutine qrfac(m,n,a,lda,rdiag,acnorm,wa)
      integer m,n,lda
      double precision a(lda,n),rdiag(n),acnorm(n),wa(n)
      integer i,j,jp1,k,minmn
      double precision ajnorm,one,sum,temp,zero
      double precision enorm
      data one,zero /1.0d0,0.0d0/
      do 10 j = 1, n
         acnorm(j) = enorm(m,a(1,j))
         rdiag(j) = acnorm(j)
         wa(j) = rdiag(j)
   10    continue
      minmn = min0(m,n)
      do 110 j = 1, minmn
         ajnorm = enorm(m-j+1,a(j,j))
         if (ajnorm .eq. zero) go to 100
         if (a(j,j) .lt. zero) ajnorm = -ajnorm
         do 50 i = j, m
            a(i,j) = a(i,j)/ajnorm
   50       continue
         a(j,j) = a(j,j) + one
         jp1 = j + 1
         if (n .lt. jp1) go to 100
         do 90 k = jp1, n
            sum = zero
            do 60 i = j, m
               sum = sum + a(i,j)*a(i,k)
   60          continue
            temp = sum/a(j,j)
            do 70 i = j, m
               a(i,k) = a(i,k) - temp*a(i,j)
   70          continue
   90       continue
  100    continue
         rdiag(j) = -ajnorm
  110    continue
      return
      end
      subroutine rosen(n,x,fvec,iflag)
      integer n,iflag,j
      double precision x(n),fvec(n),temp1,temp2
      go to (10,20,30), iflag
      return
   10 continue
      do 15 j = 1, n, 2
         temp1 = 1.0d0 - x(j)
         temp2 = 10.0d0*(x(j+1)-x(j)**2)
         fvec(j) = temp1
         fvec(j+1) = temp2
   15 continue
      go to 100
   20 do 25 j = 1, n
   25 fvec(j) = x(j)**3
      go to 100
   30 fvec(1) = 0
  100 if (fvec(1)) 110, 120, 130
  110 fvec(1) = -2.0d0*fvec(1)
      go to 140
  120 fvec(1) = 1.0d0
      go to 140
  130 fvec(1) = 3.0d0*fvec(1)
  140 return
      end
