! Assignments of whole vectors and matrices of a few elements, and loops over them: values of a multistep scheme that move along.
! head: multistep(y,total)/(y,p,h)
! args: n=4, y(2), p(4), h, total
subroutine multistep(n, y, p, h, total)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: y(2)
  real(8), intent(in) :: p(4), h
  real(8), intent(out) :: total
  real(8) :: s(2), rate(2, 3), back(-1:1), turned(2, 2)
  integer :: t, i, j
  s = y
  rate = 0
  back = [1d0, 0.5d0, 0.25d0]
  total = 0
  do t = 1, n
    rate(:, 2:3) = rate(:, 1:2)
    rate(:, 1) = [s(1)*(p(1) - p(2)*s(2)), s(2)*(p(3)*s(1) - p(4))]
    if (t <= 2) then
      s = s + h*rate(:, 1)
    else
      s = s + h/12*matmul(rate, [23d0, -16d0, 5d0])
    end if
    do j = 1, 2
      do i = 2, 1, -1
        turned(i, j) = s(j)*rate(i, j)
      end do
    end do
    back(-1:0) = back(0:1)
    back(1) = sum(turned)
    do i = -1, 1, 2
      total = total + i*back(i)*back(0) + sin(turned(1, 2))
    end do
    total = total + 0.1d0*i*s(2)**2
  end do
  y = s
end subroutine multistep
