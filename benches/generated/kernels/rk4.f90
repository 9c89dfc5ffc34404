function rk4(n, steps, h, x) result(total)
  implicit none
  integer, intent(in) :: n, steps
  double precision, intent(in) :: h, x(n)
  double precision :: total, y, k1, k2, k3, k4
  integer :: i, t
  total = 0
  do i = 1, n
    y = x(i)
    do t = 1, steps
      k1 = rate(y)
      k2 = rate(y + 0.5d0*h*k1)
      k3 = rate(y + 0.5d0*h*k2)
      k4 = rate(y + h*k3)
      y = y + h/6*(k1 + 2*k2 + 2*k3 + k4)
    end do
    total = total + y*y
  end do
contains
  double precision function rate(y)
    double precision, intent(in) :: y
    rate = y*(1 - y)
  end function rate
end function rk4
