! Functions: prefix type, RESULT, external ones without intents, single precision.
! head: mean(mean)/(x)
! kind: 4
! function
! args: n=4, x(4)
! head: norm2d(r)/(a,b)
! kind: 4
! function
! args: a, b
real function mean(n, x)
  implicit none
  integer n, i
  real x(n)
  real, external :: norm2d
  mean = 0.
  do i = 1, n
    mean = mean + norm2d(x(i), 0.5)
  end do
  mean = mean/n
end function
pure function norm2d(a, b) result(r)
  implicit none
  real, intent(in) :: a, b
  real :: r
  r = sqrt(a**2 + b**2)
end function norm2d
