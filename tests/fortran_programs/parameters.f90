! Parameters in derived types: components that are read.
! head: spring(f)/(x)
! use: springs
! args: x(3), f
! head: chain(e)/(x)
! use: springs
! args: x(3), e
module springs
  implicit none
  integer, parameter :: dp = kind(1d0)
  type damping_params
    real(dp) :: c
    logical :: on
  end type damping_params
  type spring_params
    real(dp) :: k = 1.0_dp
    real(dp), dimension(3) :: rest
    integer :: n
    type(damping_params) :: damping
  end type spring_params
  type(spring_params), save :: global = spring_params(1.5_dp, [0.1_dp, 0.2_dp, 0.3_dp], 3, damping_params(0.5_dp, .false.))
contains
  subroutine energy(p, x, e)
    type(spring_params), intent(in) :: p
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: e
    integer :: i
    e = 0
    do i = 1, p%n
      e = e + 0.5_dp*p%k*(x(i) - p%rest(i))**2
      if (p%damping%on .and. x(i) > p%damping%c) e = e - p%damping%c*x(i)
    end do
    e = scaled(e, p%k)
  end subroutine energy
  pure real(dp) function scaled(e, k)
    real(dp), intent(in) :: e, k
    scaled = e*k
  end function scaled
  subroutine spring(x, f)
    real(dp), intent(in) :: x(3)
    real(dp), intent(out) :: f
    type(spring_params) :: p
    p%k = 2.0_dp
    p%rest = [0.5_dp, 1.5_dp, 0.7_dp]
    p%n = 3
    p%damping%c = 0.25_dp
    p%damping%on = .true.
    call energy(p, x, f)
  end subroutine spring
  subroutine chain(x, e)
    real(dp), intent(in) :: x(3)
    real(dp), intent(out) :: e
    real(dp) :: part
    call energy(global, x, e)
    global%k = 3.0_dp
    call energy(global, x*2, part)
    global%k = 1.5_dp
    e = e*part
  end subroutine chain
end module springs
