! A type that the procedure defines for itself.
! head: local_type(y)/(x)
! args: n=4, x(4), y(4)
subroutine local_type(n, x, y)
  implicit none
  integer, parameter :: dp = kind(1d0)
  type :: cell
    integer :: right, two(2)   ! neighbours
    real(dp) :: width
    real(dp) :: value
  end type cell
  integer, intent(in) :: n
  real(dp), intent(in) :: x(n)
  real(dp), intent(out) :: y(n)
  type :: t
    real(dp) :: scale = 0.5_dp
  end type t
  type(cell) :: c
  type(t) :: own
  integer :: i, q, r
  y = 0
  do i = 1, n
    c%right = mod(i, n) + 1
    c%width = 0.1_dp*c%right
    c%two(1) = c%right
    q = max(1, i - 1)
    r = min(n, c%two(1))
    c%value = x(i)*c%width
    y(r) = y(r)*x(i)*c%width + c%value*x(q)*own%scale + sin(x(i)*y(r))
  end do
end subroutine local_type
