! PACK, UNPACK, EOSHIFT with a boundary, MOVE_ALLOC, ALLOCATE with SOURCE and MOLD.
! head: f(y)/(x)
! args: n=5, x(5)=[0.9d0,-0.4d0,1.7d0,0.3d0,2.1d0], y
subroutine f(n, x, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y
  real(8), allocatable :: w(:), v(:), z(:), m(:, :)
  real(8) :: p(n), u(n)
  integer :: i, k
  k = count(x > 0.35d0)
  p(1:k) = pack(x, x > 0.35d0)
  w = pack(x*x, mask=x > 0)
  u = unpack(w, x > 0, field=0.5d0*x)
  y = sum(p(1:k)**2) + product(w) + sum(u*x)
  u = eoshift(x, 1, boundary=x(2)**2) + eoshift(x, -2)
  y = y + dot_product(u, x)
  allocate(v, source=x)
  allocate(z(n), m(2, n), source=0.5d0)
  v(2:) = w(1)*z(2:)
  m(2, :) = v*x
  y = y + sum(m*m)
  deallocate(z, v)
  allocate(z, mold=x)
  z = x
  allocate(v(0))
  do i = 1, n
    v = [v, x(i)**2]
  end do
  call move_alloc(v, z)
  y = y + sum(z*x)
end subroutine f
