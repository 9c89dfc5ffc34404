! Internal procedures that call each other, hide host variables, and change integers of the host.
! head: f(y)/(x)
! args: n=3, x(3), y
subroutine f(n, x, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y
  integer :: counter, i
  real(8) :: t, w(n)
  counter = 0
  t = 1
  w = 0
  do i = 1, n
    call advance(i)
  end do
  y = t + total()
contains
  subroutine advance(k)
    integer, intent(in) :: k
    real(8) :: y
    counter = counter + k
    y = x(k)*t
    call store(y)
    t = t + y*y
  end subroutine advance
  subroutine store(v)
    real(8), intent(in) :: v
    integer :: i
    do i = 1, min(counter, n)
      w(i) = w(i)*v + v/counter
    end do
  end subroutine store
  real(8) function total()
    integer :: i
    total = 0
    do i = 1, n
      total = total + w(i)**2
    end do
  end function total
end subroutine f
