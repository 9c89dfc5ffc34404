! The kernels of the benchmark in Fortran.

real(8) function f_griewank(n, x) result(f)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8) :: s, p
  integer :: i
  s = 0
  p = 1
  do i = 1, n
    s = s + x(i)*x(i)/400
    p = p*cos(x(i)/sqrt(real(i, 8)))
  end do
  f = s - p + 1
end function

real(8) function f_speel(n, x) result(f)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  integer :: i
  f = 1
  do i = 1, n
    f = f*x(i)
  end do
end function

real(8) function f_rosen(n, x) result(f)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8) :: t, q
  integer :: i
  f = 0
  do i = 1, n - 1
    t = x(i + 1) - x(i)*x(i)
    q = 1 - x(i)
    f = f + 100*t*t + q*q
  end do
end function

real(8) function f_bratu(n, u, w) result(f)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: u(n), w(n)
  real(8) :: h, ih2, um, up
  integer :: i
  h = 1/real(n + 1, 8)
  ih2 = 1/(h*h)
  f = 0
  do i = 1, n
    um = 0
    up = 0
    if (i > 1) um = u(i - 1)
    if (i < n) up = u(i + 1)
    f = f + w(i)*((um - 2*u(i) + up)*ih2 + 3*exp(u(i)))
  end do
end function

real(8) function f_light(n, x) result(f)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(4, n)
  real(8) :: nu, ga, om, t, y1, y2, tn
  integer :: i
  f = 0
  do i = 1, n
    nu = x(1, i)
    ga = x(2, i)
    om = x(3, i)
    t = x(4, i)
    tn = tan(om*t)
    y1 = nu*tn/(ga - tn)
    y2 = ga*y1
    f = f + y1 + y2
  end do
end function

real(8) function f_burgers(nx, nt, u0) result(f)
  implicit none
  integer, intent(in) :: nx, nt
  real(8), intent(in) :: u0(nx)
  real(8), allocatable :: u(:), un(:)
  real(8) :: c, d
  integer :: i, t
  allocate (u(nx), un(nx))
  c = 0.2d0
  d = 0.1d0
  u = u0
  do t = 1, nt
    do i = 2, nx - 1
      un(i) = u(i) - c*u(i)*(u(i) - u(i - 1)) + d*(u(i + 1) - 2*u(i) + u(i - 1))
    end do
    do i = 2, nx - 1
      u(i) = un(i)
    end do
  end do
  f = 0
  do i = 1, nx
    f = f + u(i)*u(i)
  end do
  f = 0.5d0*f/nx
  deallocate (u, un)
end function

real(8) function f_heat(nx, nt, u0) result(f)
  implicit none
  integer, intent(in) :: nx, nt
  real(8), intent(in) :: u0(nx)
  real(8), allocatable :: u(:), un(:)
  real(8) :: d
  integer :: i, t
  allocate (u(nx), un(nx))
  d = 0.25d0
  u = u0
  do t = 1, nt
    do i = 2, nx - 1
      un(i) = u(i) + d*(u(i + 1) - 2*u(i) + u(i - 1))
    end do
    do i = 2, nx - 1
      u(i) = un(i)
    end do
  end do
  f = 0
  do i = 1, nx
    f = f + u(i)*u(i)
  end do
  f = 0.5d0*f/nx
  deallocate (u, un)
end function
