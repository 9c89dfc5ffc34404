module spring_mod
  implicit none
  integer, parameter :: dp = kind(1d0)
  type :: spring
    real(dp) :: k = 1.0_dp
    real(dp) :: rest = 0.5_dp
    integer :: i, j
  end type spring
  type :: state
    real(dp), allocatable :: x(:), v(:)
    real(dp) :: t
  end type
contains
  function force(s, st) result(f)
    type(spring), intent(in) :: s
    type(state), intent(in) :: st
    real(dp) :: f
    f = -s%k*(st%x(s%j) - st%x(s%i) - s%rest)
  end function
  subroutine euler(st, s, h)
    type(state), intent(inout) :: st
    type(spring), intent(in) :: s
    real(dp), intent(in) :: h
    real(dp) :: f
    f = force(s, st)
    st%v(s%i) = st%v(s%i) - h*f
    st%v(s%j) = st%v(s%j) + h*f
    st%x = st%x + h*st%v
    st%t = st%t + h
  end subroutine
  subroutine energy(n, x, v, k, e)
    integer, intent(in) :: n
    real(dp), intent(in) :: x(n), v(n), k
    real(dp), intent(out) :: e
    type(state) :: st
    type(spring) :: s
    integer :: it
    allocate(st%x(n), st%v(n))
    st%x = x
    st%v = v
    st%t = 0
    s%k = k
    s%i = 1; s%j = n
    do it = 1, 3
      call euler(st, s, 0.1_dp)
    end do
    e = 0.5_dp*sum(st%v**2) + 0.5_dp*s%k*(st%x(s%j) - st%x(s%i))**2
  end subroutine
end module
