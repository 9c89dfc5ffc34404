! Misfit of a recorded trace: a pulse at one place of a string with speeds c is seen at another. The ends are fixed.
function wave1d(n, steps, r, trace, c) result(misfit)
  implicit none
  integer, intent(in) :: n, steps
  double precision, intent(in) :: r, trace(steps), c(n)
  double precision :: misfit, z
  double precision, allocatable :: old(:), now(:), next(:)
  integer :: t
  allocate (old(n), now(n), next(n))
  old = 0
  now = 0
  next = 0
  misfit = 0
  do t = 1, steps
    next(2:n - 1) = 2*now(2:n - 1) - old(2:n - 1) + (r*c(2:n - 1))**2*(now(1:n - 2) - 2*now(2:n - 1) + now(3:n))
    z = 0.1d0*(t - 1) - 2
    next(n/3 + 1) = next(n/3 + 1) + (1 - 2*z*z)*exp(-z*z)
    misfit = misfit + 0.5d0*(next(2*n/3 + 1) - trace(t))**2
    old = now
    now = next
  end do
end function wave1d
