! N-body with leapfrog and energies; sections with colons first.
! head: simulate(x,v,e)/(x,v,m)
! use: gravity
! args: n=3, nt=3, dt=0.01d0, m(3), x(3,3), v(3,3), e
module gravity
  implicit none
  integer, parameter :: wp = kind(1d0)
  real(wp), parameter :: eps2 = 1e-4_wp, g = 1.0_wp
contains
  subroutine accelerations(x, m, a)
    real(wp), intent(in) :: x(:, :), m(:)
    real(wp), intent(out) :: a(:, :)
    real(wp) :: d(3), r2
    integer :: i, j
    a = 0
    do i = 1, size(m)
      do j = i + 1, size(m)
        d = x(:, j) - x(:, i)
        r2 = dot_product(d, d) + eps2
        d = g*d/(r2*sqrt(r2))
        a(:, i) = a(:, i) + m(j)*d
        a(:, j) = a(:, j) - m(i)*d
      end do
    end do
  end subroutine accelerations

  real(wp) function energy(x, v, m)
    real(wp), intent(in) :: x(:, :), v(:, :), m(:)
    integer :: i, j
    energy = 0.5_wp*sum(m*sum(v**2, dim=1))
    do i = 1, size(m) - 1
      do j = i + 1, size(m)
        energy = energy - g*m(i)*m(j)/norm2(x(:, i) - x(:, j))
      end do
    end do
  end function energy

  subroutine simulate(n, nt, dt, m, x, v, e)
    integer, intent(in) :: n, nt
    real(wp), intent(in) :: dt, m(n)
    real(wp), intent(inout) :: x(3, n), v(3, n)
    real(wp), intent(out) :: e
    real(wp), allocatable :: a(:, :)
    integer :: it
    allocate (a(3, n))
    call accelerations(x, m, a)
    do it = 1, nt
      v = v + 0.5_wp*dt*a
      x = x + dt*v
      call accelerations(x, m, a)
      v = v + 0.5_wp*dt*a
      if (mod(it, 2) == 0) write (*, '(a, i0, es12.4)') 'step ', it, energy(x, v, m)
    end do
    e = energy(x, v, m)
    deallocate (a)
  end subroutine simulate
end module gravity
