! A kernel.
module grid
  implicit none
  integer, parameter :: dp = kind(1.d0)
  integer, parameter :: nmax = 5
  real(dp), parameter :: w(3) = (/ 1.0_dp, 2.5_dp, -0.5_dp /)
  real(dp) :: total = 0
contains
  subroutine smooth(n, m, u, v, s)
    integer, intent(in) :: n, m
    real(dp), intent(in) :: u(n, 0:m)
    real(dp), intent(inout) :: v(n, m)
    real(dp), intent(out) :: s
    real(dp) :: t(nmax), c(n)
    integer :: i, j
    t = 0
    c = u(:, 1)*2
    do j = 1, m
      do i = 2, n
        v(i, j) = v(i, j) + u(i-1, j) - u(i, j-1)**2 + w(mod(i, 3) + 1)
      end do
    end do
    do i = n, 1, -2
      t(1) = t(1) + c(i)*sign(1.d0, u(i, 0)) + max(i, m)*nint(u(i,0))
    end do
    do i = 1, 10, m
      if (i > 7) exit
      if (i == 3) cycle
      t(2) = t(2) + i**3 + 2.d0**i
    end do
    select case (n)
    case (1)
      s = 1
    case (2:3)
      s = norm2x(t, nmax)
    case default
      s = sum(t(1:3)) + dot_product(c, c) + maxval(c)
    end select
    s = s + modulo(-n, 3) + dim(n, m) + abs(-n) + real(n)/3
    total = total + s
    if (.not. (s > 1 .and. n < 3) .or. m == 1) total = total*0.5_dp
  end subroutine smooth

  function norm2x(x, n) result(r)
    integer, intent(in) :: n
    real(dp), intent(in) :: x(n)
    real(dp) :: r
    integer :: i
    r = 0
    do i = 1, n
      r = r + x(i)*x(i)
    end do
    r = sqrt(r)
  end function norm2x
end module grid

subroutine mm(n, a, b, c)
  integer, intent(in) :: n
  real(8), intent(in) :: a(n,n), b(n,n)
  real(8), intent(out) :: c(n,n)
  real(8) :: d(n,n)
  d = transpose(b)
  c = matmul(a, d)
  c(1, :) = c(1, :) + 1
end subroutine mm
