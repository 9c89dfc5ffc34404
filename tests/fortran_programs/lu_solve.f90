! Gaussian elimination with partial pivoting; the pivots depend on the data.
! head: solve(b)/(a,b)
! args: n=4, a(4,4)=[0.3d0,2d0,0.1d0,0.7d0,1.4d0,0.2d0,0.9d0,-0.3d0,0.5d0,0.8d0,2.2d0,0.4d0,1.1d0,0.6d0,0.2d0,1.9d0], b(4), info=0
subroutine solve(n, a, b, info)
  implicit none
  integer, intent(in) :: n
  double precision, intent(inout) :: a(n, n), b(n)
  integer, intent(out) :: info
  integer :: i, j, k, p
  double precision :: t, m
  info = 0
  do k = 1, n
    p = k
    do i = k + 1, n
      if (abs(a(i, k)) > abs(a(p, k))) p = i
    end do
    if (a(p, k) == 0d0) then
      info = k
      return
    end if
    if (p /= k) then
      do j = 1, n
        t = a(k, j)
        a(k, j) = a(p, j)
        a(p, j) = t
      end do
      t = b(k)
      b(k) = b(p)
      b(p) = t
    end if
    do i = k + 1, n
      m = a(i, k)/a(k, k)
      a(i, k) = m
      do j = k + 1, n
        a(i, j) = a(i, j) - m*a(k, j)
      end do
      b(i) = b(i) - m*b(k)
    end do
  end do
  do i = n, 1, -1
    do j = i + 1, n
      b(i) = b(i) - a(i, j)*b(j)
    end do
    b(i) = b(i)/a(i, i)
  end do
end subroutine solve
