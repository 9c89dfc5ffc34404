! Householder QR, R only.
! head: qr(a)/(a)
! args: m=4, n=2, a(4,2)=[1d0,0.4d0,-0.3d0,0.8d0,0.5d0,1.2d0,0.7d0,-0.9d0]
subroutine qr(m, n, a)
  implicit none
  integer, intent(in) :: m, n
  real(8), intent(inout) :: a(m, n)
  real(8) :: v(m), alpha, vv, s
  integer :: j, k
  do k = 1, min(m - 1, n)
    alpha = -sign(sqrt(dot_product(a(k:m, k), a(k:m, k))), a(k, k))
    v(k:m) = a(k:m, k)
    v(k) = v(k) - alpha
    vv = dot_product(v(k:m), v(k:m))
    do j = k, n
      s = 2*dot_product(v(k:m), a(k:m, j))/vv
      a(k:m, j) = a(k:m, j) - s*v(k:m)
    end do
  end do
end subroutine qr
