! One-dimensional convolution of channels with filters, followed by a leaky rectifier.
subroutine conv1d(channels, filters, n, width, x, kernel, bias, y)
  implicit none
  integer, intent(in) :: channels, filters, n, width
  double precision, intent(in) :: x(n, channels), kernel(width, channels, filters), bias(filters)
  double precision, intent(out) :: y(n - width + 1, filters)
  integer :: f, i
  do f = 1, filters
    do i = 1, n - width + 1
      y(i, f) = leaky(bias(f) + sum(kernel(:, :, f)*x(i:i + width - 1, :)))
    end do
  end do
contains
  double precision function leaky(z)
    double precision, intent(in) :: z
    leaky = merge(z, 0.1d0*z, z > 0)
  end function leaky
end subroutine conv1d
