! Stages of a Runge-Kutta method that callees set: each step sets all that it reads of them, so snapshots hold the state only.
! head: stages(y)/(y,p)
! args: n=4, nt=7, h, p, y(4)
subroutine slope(n, p, y, dy)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: p, y(n)
  real(8), intent(out) :: dy(n)
  integer :: i
  dy(1) = y(n)*y(2) - y(1)
  do i = 2, n - 1
    dy(i) = (y(i + 1) - y(i - 1))*y(i) + p
  end do
  dy(n) = sin(y(1))*y(n)
end subroutine
subroutine stages(n, nt, h, p, y)
  implicit none
  integer, intent(in) :: n, nt
  real(8), intent(in) :: h, p
  real(8), intent(inout) :: y(n)
  real(8) :: k1(n), k2(n), k3(0:n - 1), k4(n), w(n), d
  integer :: t, i
  d = 0.1d0*h
  !$overbar checkpoint 2
  do t = 1, nt
    call slope(n, p, y, k1)
    w = y + 0.5d0*d*k1
    call slope(n, p, w, k2)
    w = y + 0.5d0*d*k2
    call slope(n, p, w, k3)
    do i = 1, n
      w(i) = y(i) + d*k3(i - 1)
    end do
    call slope(n, p, w, k4)
    y = y + d/6*(k1 + 2*k2 + 2*k3 + k4)
  end do
end subroutine
