module state
  implicit none
  type point
    real(8) :: x, y
  end type
  real(8) :: q(10) = 0d0
  integer :: cnt
end module
subroutine deriv(p, x, z)
  use state
  type(point) :: p
  real(8) :: x
  complex(8) :: z
  real(8), pointer :: ptr
  real(8), target :: t
  character(len=10) :: s
  character(len=*), parameter :: fmt = '(a)'
  logical l
  p%x = x
  x = p%y*2
  z = (1d0, 2d0)*x
  ptr => t
  s = 'abc'//'d'
  if (s == 'abc') x = 1
  s(1:2) = 'xy'
  q = reshape([1d0,2d0], [10])
  call cpu_time(x)
  write (s, fmt) x
  l = any(q > 1) .and. all(q < 3) .or. count(q > 0) > 2
  x = norm2(q) + maxval(q(1:5)) + sum(q, mask=q>0) + sum(q, q > 1)
  cnt = maxloc(q, 1) + size(q) + ubound(q, 1) + nint(x) + int(x, 8) + floor(x) + mod(cnt, 2)
  x = aint(x) + anint(x) + sign(x, 1d0) + dim(x, 2d0) + modulo(x, 3d0) + atan2(x, 1d0) + atan(x, 1d0) + hypot(x, 2d0)
  x = erf(x) + gamma(x) + log_gamma(x) + asinh(x) + epsilon(x) + tiny(1.0) + huge(1) + float(cnt) + sngl(x) + real(cnt, 8) + dprod(1.0, 2.0)
  x = amax1(1.0, 2.0) + max0(1, 2, 3) + amin0(1, 2) + abs(x) + iabs(-3) + dabs(x) + alog(2.0)
end subroutine
program p
 use state
 real(8) :: x
 x = 3
 block
  integer i
 end block
end program
