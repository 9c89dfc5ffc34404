! Natural cubic spline and its evaluation by bisection.
! head: eval(s)/(x,y,xx)
! args: n=5, x(5)=[0d0,0.7d0,1.5d0,2.6d0,3.1d0], y(5), nq=3, xx(3)=[0.4d0,1.9d0,2.9d0], s(3)
subroutine spline(n, x, y, y2)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n), y(n)
  real(8), intent(out) :: y2(n)
  real(8) :: u(n), sig, p
  integer :: i
  y2(1) = 0
  u(1) = 0
  do i = 2, n - 1
    sig = (x(i) - x(i-1))/(x(i+1) - x(i-1))
    p = sig*y2(i-1) + 2
    y2(i) = (sig - 1)/p
    u(i) = (6*((y(i+1) - y(i))/(x(i+1) - x(i)) - (y(i) - y(i-1))/(x(i) - x(i-1)))/(x(i+1) - x(i-1)) - sig*u(i-1))/p
  end do
  y2(n) = 0
  do i = n - 1, 1, -1
    y2(i) = y2(i)*y2(i+1) + u(i)
  end do
end subroutine spline

subroutine eval(n, x, y, nq, xx, s)
  implicit none
  integer, intent(in) :: n, nq
  real(8), intent(in) :: x(n), y(n), xx(nq)
  real(8), intent(out) :: s(nq)
  real(8) :: y2(n), h, a, b
  integer :: q, lo, hi, mid
  call spline(n, x, y, y2)
  do q = 1, nq
    lo = 1
    hi = n
    do while (hi - lo > 1)
      mid = (hi + lo)/2
      if (x(mid) > xx(q)) then
        hi = mid
      else
        lo = mid
      end if
    end do
    h = x(hi) - x(lo)
    a = (x(hi) - xx(q))/h
    b = (xx(q) - x(lo))/h
    s(q) = a*y(lo) + b*y(hi) + ((a**3 - a)*y2(lo) + (b**3 - b)*y2(hi))*h**2/6
  end do
end subroutine eval
