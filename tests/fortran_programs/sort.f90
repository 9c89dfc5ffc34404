! Insertion sort on active values.
! head: order(x,med)/(x)
! args: n=6, x(6)=[0.7d0,0.1d0,0.9d0,0.3d0,0.8d0,0.2d0], med
subroutine order(n, x, med)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: x(n)
  real(8), intent(out) :: med
  integer :: i, j
  real(8) :: v
  do i = 2, n
    v = x(i)
    j = i - 1
    do while (j >= 1)
      if (x(j) <= v) exit
      x(j+1) = x(j)
      j = j - 1
    end do
    x(j+1) = v
  end do
  if (mod(n, 2) == 0) then
    med = (x(n/2) + x(n/2+1))/2
  else
    med = x(n/2+1)
  end if
  x = x*med
end subroutine order
