! Steps of nonlinear diffusion with sources and cubic loss in a cube; walls stay as they are.
subroutine heat3d(n, steps, r, source, u)
  implicit none
  integer, intent(in) :: n, steps
  double precision, intent(in) :: r, source(n, n, n)
  double precision, intent(inout) :: u(n, n, n)
  double precision :: old(n, n, n)
  integer :: t, i, j, k
  do t = 1, steps
    old = u
    do k = 2, n - 1
      do j = 2, n - 1
        do i = 2, n - 1
          u(i, j, k) = old(i, j, k) + r*(old(i - 1, j, k) + old(i + 1, j, k) + old(i, j - 1, k) + old(i, j + 1, k) &
                       + old(i, j, k - 1) + old(i, j, k + 1) - 6*old(i, j, k) - old(i, j, k)**3) + source(i, j, k)
        end do
      end do
    end do
  end do
end subroutine heat3d
