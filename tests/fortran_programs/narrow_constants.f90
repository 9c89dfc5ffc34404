! Constants of single precision in code of double precision: products and sums of them along a way are those of double precision; tables and DATA hold what they are.
! head: scaled(y)/(x)
! args: x, y(6)
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
subroutine scaled(x, y)
  implicit none
  real(8), intent(in) :: x
  real(8), intent(out) :: y(6)
  real(8), parameter :: c = 0.7
  real(8) :: t
  y(1) = (2.5 - 0.00234*x)*1.e6
  y(2) = 0.1*(0.3*sin(x))
  y(3) = x*0.7*3.3 + (x*0.1)/0.3
  y(4) = x*0.1 + x*0.7 - 3*(0.1*x)
  t = 0.1*x
  t = t*0.3
  y(5) = c*t*t*0.01
  y(6) = exp(-0.1*x)*0.2/3
end subroutine
