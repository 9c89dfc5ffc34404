! Few values of a round, kept in arrays with a place for each round: short arrays, sections of them, and what nothing has set before the first round.
! head: small_states(f,g)/(x,p,g)
! use: small_states_mod
! args: n=4, x(6), p(4), g(8), f
module small_states_mod
  implicit none
contains
  pure subroutine rates(y, p, dy)
    real(8), intent(in) :: y(2), p(4)
    real(8), intent(out) :: dy(2)
    dy(1) = p(1)*y(1) - p(2)*y(1)*y(2)
    dy(2) = -p(3)*y(2) + p(4)*y(1)*y(2)
  end subroutine

  ! Changes a part of what it is given.
  pure subroutine bend(v)
    real(8), intent(inout) :: v(3)
    v(1) = v(1)*v(2)
    v(2) = sin(v(1)) + v(2)
  end subroutine

  subroutine small_states(n, x, p, g, f)
    integer, intent(in) :: n
    real(8), intent(in) :: x(6), p(4)
    real(8), intent(inout) :: g(8)
    real(8), intent(out) :: f
    real(8) :: y(2), k1(2), k2(2), a(2, 2), b(2, 2)
    integer :: t, i
    y = x(1:2)
    b = 0.5d0
    do t = 1, n
      call rates(y, p, k1)
      call rates(y + 0.1d0*k1, p, k2)
      a = reshape([k1(1)*k2(2), k2(1), y(1), x(3)], [2, 2])
      b = matmul(a, b) + 0.1d0*b
      y = y + 0.05d0*(k1 + k2)
      call bend(g(t:t + 2))
      do i = 1, 2
        g(i + t:i + t + 1) = g(i + t:i + t + 1)*b(i, :)*x(4) + y
      end do
    end do
    f = y(1)**2*b(1, 2) + y(2)*b(2, 1)
  end subroutine
end module
