! Logical variables that keep decisions, IF on them later; integer arrays of counters.
! head: f(y)/(x)
! args: n=4, x(4)=[0.2d0,0.9d0,0.4d0,0.8d0], y
subroutine f(n, x, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y
  logical :: big(n), any_big
  integer :: count_of(2), which, i
  count_of = 0
  any_big = .false.
  do i = 1, n
    big(i) = x(i) > 0.5d0
    any_big = any_big .or. big(i)
    which = merge(1, 2, big(i))
    count_of(which) = count_of(which) + 1
  end do
  y = 0
  do i = 1, n
    if (big(i) .neqv. .true.) then
      y = y + x(i)**2*count_of(2)
    else if (any_big .eqv. big(i)) then
      y = y + exp(x(i))/count_of(1)
      any_big = .false.
    end if
  end do
end subroutine f
