! legacy
! head: tred(d,e,a)/(a)
! args: nm=4, n=4, a(4,4)=[4.d0,1.d0,0.5d0,0.2d0,1.d0,3.d0,0.3d0,0.7d0,0.5d0,0.3d0,2.d0,0.6d0,0.2d0,0.7d0,0.6d0,1.d0], d(4), e(4), e2(4)
      subroutine tred(nm,n,a,d,e,e2)
      integer i,j,k,l,n,ii,nm,jp1
      double precision a(nm,n),d(n),e(n),e2(n)
      double precision f,g,h,scale
      do 100 i = 1, n
         d(i) = a(n,i)
         a(n,i) = a(i,i)
  100 continue
      do 300 ii = 1, n
         i = n + 1 - ii
         l = i - 1
         h = 0.0d0
         scale = 0.0d0
         if (l .lt. 1) go to 130
         do 120 k = 1, l
  120    scale = scale + dabs(d(k))
         if (scale .ne. 0.0d0) go to 140
         do 125 j = 1, l
            d(j) = a(l,j)
            a(l,j) = a(i,j)
            a(i,j) = 0.0d0
  125    continue
  130    e(i) = 0.0d0
         e2(i) = 0.0d0
         go to 300
  140    do 150 k = 1, l
            d(k) = d(k) / scale
            h = h + d(k) * d(k)
  150    continue
         e2(i) = scale * scale * h
         f = d(l)
         g = -dsign(dsqrt(h),f)
         e(i) = scale * g
         h = h - f * g
         d(l) = f - g
         if (l .eq. 1) go to 285
         do 170 j = 1, l
  170    e(j) = 0.0d0
         do 240 j = 1, l
            f = d(j)
            g = e(j) + a(j,j) * f
            jp1 = j + 1
            if (l .lt. jp1) go to 220
            do 200 k = jp1, l
               g = g + a(k,j) * d(k)
               e(k) = e(k) + a(k,j) * f
  200       continue
  220       e(j) = g
  240    continue
         f = 0.0d0
         do 245 j = 1, l
            e(j) = e(j) / h
            f = f + e(j) * d(j)
  245    continue
         h = f / (h + h)
         do 250 j = 1, l
  250    e(j) = e(j) - h * d(j)
         do 280 j = 1, l
            f = d(j)
            g = e(j)
            do 260 k = j, l
  260       a(k,j) = a(k,j) - f * e(k) - g * d(k)
  280    continue
  285    do 290 j = 1, l
            f = d(j)
            d(j) = a(l,j)
            a(l,j) = a(i,j)
            a(i,j) = f * scale
  290    continue
  300 continue
      return
      end
