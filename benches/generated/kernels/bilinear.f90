! An image is turned and shifted: each pixel is interpolated between four of the source, which is continued beyond its edges by clamping.
subroutine bilinear(n, transform, image, warped)
  implicit none
  integer, intent(in) :: n
  double precision, intent(in) :: transform(3, 2), image(n, n)
  double precision, intent(out) :: warped(n, n)
  integer :: i, j
  do i = 1, n
    do j = 1, n
      warped(j, i) = sample(dot_product(transform(:, 1), [dble(i - 1), dble(j - 1), 1d0]), &
                            dot_product(transform(:, 2), [dble(i - 1), dble(j - 1), 1d0]))
    end do
  end do
contains
  pure integer function clamp(i)
    integer, intent(in) :: i
    clamp = min(max(i, 0), n - 1) + 1
  end function clamp

  double precision function sample(x, y)
    double precision, intent(in) :: x, y
    double precision :: a, b
    integer :: i, j, i0, i1, j0, j1
    i = floor(x)
    j = floor(y)
    a = x - i
    b = y - j
    i0 = clamp(i)
    i1 = clamp(i + 1)
    j0 = clamp(j)
    j1 = clamp(j + 1)
    sample = (1 - b)*((1 - a)*image(j0, i0) + a*image(j0, i1)) + b*((1 - a)*image(j1, i0) + a*image(j1, i1))
  end function sample
end subroutine bilinear
