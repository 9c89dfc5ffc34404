! Constants of single precision in tables and DATA of double precision.
! head: tabled(y)/(x)
! use: narrow_constants
! args: n=3, x(3), y(3)
module narrow_constants
  implicit none
  real(8), parameter :: table(3) = (/ 0.497202, -0.501885, 1.0/3 /)
  real(8), parameter :: rows(2, 2) = reshape([real(8) :: 0.1, 0.2d0, 3, 0.3_8], [2, 2])
contains
  subroutine tabled(n, x, y)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8), intent(out) :: y(n)
    real(8) :: data_table(3)
    integer :: i
    data data_table /0.1, 2*0.05/
    do i = 1, n
      y(i) = table(i)*x(i)**2 + data_table(i)*sin(x(i)) + rows(1, mod(i, 2) + 1)*x(1)
    end do
  end subroutine
end module
