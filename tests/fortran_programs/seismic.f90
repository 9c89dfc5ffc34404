! Wave equation with a ring buffer of time levels and a receiver trace.
! head: wave(trace)/(c,src)
! args: n=6, nt=4, c(6), src(4), trace(4)
subroutine wave(n, nt, c, src, trace)
  implicit none
  integer, intent(in) :: n, nt
  real(8), intent(in) :: c(n), src(nt)
  real(8), intent(out) :: trace(nt)
  real(8) :: u(0:n+1, 0:2)
  integer :: it, i, now, old, new
  u = 0d0
  do it = 1, nt
    now = mod(it, 3)
    old = mod(it + 2, 3)
    new = mod(it + 1, 3)
    do i = 1, n
      u(i, new) = 2*u(i, now) - u(i, old) + 0.1d0*c(i)**2*(u(i-1, now) - 2*u(i, now) + u(i+1, now))
    end do
    u(3, new) = u(3, new) + src(it)*c(3)
    trace(it) = u(4, new) + u(3, new)
  end do
end subroutine wave
