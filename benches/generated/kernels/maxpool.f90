! Each plane is scaled, clipped softly beyond one, and pooled: the most of two by two cells.
subroutine maxpool(planes, n, scale, x, y)
  implicit none
  integer, intent(in) :: planes, n
  double precision, intent(in) :: scale(planes), x(n, n, planes)
  double precision, intent(out) :: y(n/2, n/2, planes)
  integer :: p, i, j
  do p = 1, planes
    do j = 1, n/2
      do i = 1, n/2
        y(i, j, p) = maxval(clip(scale(p)*x(2*i - 1:2*i, 2*j - 1:2*j, p)))
      end do
    end do
  end do
contains
  elemental double precision function clip(z)
    double precision, intent(in) :: z
    if (z > 1) then
      clip = 2 - 1/z
    else if (z < -1) then
      clip = -2 - 1/z
    else
      clip = z
    end if
  end function clip
end subroutine maxpool
