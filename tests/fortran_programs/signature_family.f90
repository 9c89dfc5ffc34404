! Common signatures: n, x, m, y without intents.
! head: f1(y)/(x)
! args: n=3, x(3), m=2, y(2)
! head: f2(f2)/(x)
! function
! args: n=3, x(3)
! head: f3(x)/(x)
! args: x(4), n=4
subroutine f1(n, x, m, y)
  integer n, m, i, j
  double precision x(n), y(m)
  do j = 1, m
    y(j) = 0
    do i = 1, n
      y(j) = y(j) + x(i)**j
    end do
  end do
end subroutine
function f2(n, x)
  integer n
  double precision x(n), f2
  f2 = 0
  do i = 1, n
    f2 = f2 + x(i)*x(mod(i,n)+1)
  end do
end function
subroutine f3(x, n)
  double precision x(*)
  integer n
  do i = 2, n
    x(i) = x(i)*x(i-1)
  end do
end
