! Work arrays that are copied in each step, or change places by MOVE_ALLOC: all elements, all but a few at the ends, arrays with rows, three in turn,
! other lower bounds; and where they are not exchanged: what is copied is read again; arrays that are allocated twice, with other bounds, freed in
! between, or moved elsewhere as well.
! head: copied(y)/(x, c)
! args: n=6, nt=3, x(6)=[0.9d0,-0.4d0,1.7d0,0.3d0,2.1d0,0.6d0], c(2)=[0.2d0,0.1d0], y
! head: copied(y)/(x, c)
! args: n=2, nt=2, x(2)=[0.9d0,-0.4d0], c(2)=[0.2d0,0.1d0], y
! head: copied(y)/(x, c)
! args: n=3, nt=1, x(3)=[0.9d0,-0.4d0,1.7d0], c(2)=[0.2d0,0.1d0], y
! head: moved(y)/(x, c)
! args: n=5, nt=3, x(5)=[0.9d0,-0.4d0,1.7d0,0.3d0,2.1d0], c(2)=[0.2d0,0.1d0], y
! head: moved(y)/(x, c)
! args: n=1, nt=4, x(1)=[0.9d0], c(2)=[0.2d0,0.1d0], y
! head: otherwise(y)/(x)
! args: n=5, nt=3, x(5)=[0.9d0,-0.4d0,1.7d0,0.3d0,2.1d0], y
subroutine copied(n, nt, x, c, y)
  implicit none
  integer, intent(in) :: n, nt
  real(8), intent(in) :: x(n), c(2)
  real(8), intent(out) :: y
  real(8), allocatable :: u(:), v(:), a(:), b(:), g(:, :), h(:, :), p(:), q(:), w(:), z(:)
  integer :: i, k, t
  allocate (u(n), v(n), a(0:n), b(0:n), g(3, n), h(3, n), p(n), q(n), w(n), z(n))
  u = x
  a(0) = 0.5d0
  do i = 1, n
    a(i) = 0.5d0*x(i) + 1
    g(:, i) = x(i)*[1.0d0, 2.0d0, 3.0d0]
  end do
  p = 1 - x*x
  q = x
  w = 0.7d0*x
  do t = 1, nt
    ! All but the ends.
    do i = 2, n - 1
      v(i) = u(i) - c(1)*u(i)*(u(i) - u(i - 1)) + c(2)*(u(i + 1) - 2*u(i))
    end do
    do i = 2, n - 1
      u(i) = v(i)
    end do
    ! All but the first two, in sections.
    b(2:n) = a(2:n)*a(1:n - 1) - c(2)*a(0:n - 2)
    a(2:n) = b(2:n)
    ! Rows.
    do i = 1, n
      do k = 1, 3
        h(k, i) = sin(g(k, i)) + c(1)*g(mod(k, 3) + 1, i)
      end do
    end do
    g = h
    ! Read again at the end.
    q(2:n) = p(2:n)*(c(1) + p(1:n - 1))
    p = q
    ! Read again behind it.
    z = w*w
    w = z
    y = sum(z)
    w(1) = w(1) + 0.1d0*y
  end do
  y = dot_product(u, u) + sum(a(1:n)*p) + sum(g) + sum(w)
  deallocate (u, v, a, b, g, h, p, q, w, z)
end subroutine copied

subroutine moved(n, nt, x, c, y)
  implicit none
  integer, intent(in) :: n, nt
  real(8), intent(in) :: x(n), c(2)
  real(8), intent(out) :: y
  real(8), allocatable :: u(:), v(:), t1(:), a(:), b(:), d(:), t2(:), g(:, :), h(:, :), t3(:, :)
  integer :: i, t
  allocate (u(n), v(n), a(0:n), b(0:n), d(0:n))
  allocate (g(n, 2), h(n, 2))
  u = x
  v = 0.1d0*x
  a = 0.3d0
  a(1:n) = x
  b = 0.2d0
  d = 0.1d0
  g(:, 1) = x
  g(:, 2) = x*x
  h = 0
  do t = 1, nt
    do i = 2, n - 1
      v(i) = u(i) - c(1)*u(i)*(u(i) - u(i - 1)) + c(2)*(u(i + 1) - 2*u(i))
    end do
    ! The new state.
    call move_alloc(u, t1)
    ! From here the old one is v.
    call move_alloc(v, u)
    call move_alloc(t1, v)
    d(1:n) = a(1:n) + c(1)*b(0:n - 1)
    d(0) = c(2)*sin(b(0))
    call move_alloc(b, t2)
    call move_alloc(a, b)
    call move_alloc(d, a)
    call move_alloc(t2, d)
    if (mod(t, 2) == 0) then
      h(:, 1) = cos(g(:, 2))
      h(:, 2) = g(:, 1)*c(2)
      call move_alloc(g, t3)
      call move_alloc(h, g)
      call move_alloc(t3, h)
    end if
  end do
  y = dot_product(u, u) + sum(v) + sum(a*b) + sum(d) + sum(g*g)
  deallocate (u, v)
end subroutine moved

subroutine otherwise(n, nt, x, y)
  implicit none
  integer, intent(in) :: n, nt
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y
  real(8), allocatable :: u(:), v(:), t1(:), a(:), b(:), t2(:), p(:), q(:), t3(:)
  integer :: t
  ! Other bounds.
  allocate (u(n), v(n + 1))
  u = x
  v(1:n) = 2*x
  v(n + 1) = x(1)
  ! Allocated again.
  allocate (a(n), b(n))
  a = x
  b = 3*x
  ! The name between holds something first.
  allocate (p(n), q(n), t3(n))
  p = x*x
  q = x
  t3 = x(2)
  y = sum(t3)
  do t = 1, nt
    call move_alloc(u, t1)
    call move_alloc(v, u)
    call move_alloc(t1, v)
    u(1) = u(1)*v(2)
    call move_alloc(a, t2)
    call move_alloc(b, a)
    call move_alloc(t2, b)
    if (t == 2) then
      deallocate (b)
      allocate (b(n))
      b = a*x
    end if
    a(1) = a(1) + sin(b(2))
    call move_alloc(p, t3)
    call move_alloc(q, p)
    call move_alloc(t3, q)
    p(2) = p(2)*q(3)
  end do
  y = y + sum(u) + sum(v*v) + sum(a*b) + sum(p*x) + sum(q)
end subroutine otherwise
