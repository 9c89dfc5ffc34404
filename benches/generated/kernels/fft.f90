! Fast Fourier transform of 2**bits complex numbers in place, radix 2: bit reversal, then butterflies.
subroutine fft(bits, x)
  implicit none
  integer, intent(in) :: bits
  double precision, intent(inout) :: x(2, 2**bits)
  double precision :: angle, w(2), step(2), u(2), v(2)
  integer :: n, i, j, bit, length, start, k, far
  n = 2**bits
  j = 0
  do i = 1, n - 1
    bit = n/2
    do while (iand(j, bit) /= 0)
      j = ieor(j, bit)
      bit = bit/2
    end do
    j = ieor(j, bit)
    if (i < j) then
      u = x(:, i + 1)
      x(:, i + 1) = x(:, j + 1)
      x(:, j + 1) = u
    end if
  end do
  length = 2
  do while (length <= n)
    angle = -6.283185307179586d0/length
    step = [cos(angle), sin(angle)]
    do start = 1, n, length
      w = [1d0, 0d0]
      do k = start, start + length/2 - 1
        far = k + length/2
        u = x(:, k)
        v = times(x(:, far), w)
        x(:, k) = u + v
        x(:, far) = u - v
        w = times(w, step)
      end do
    end do
    length = 2*length
  end do
contains
  pure function times(a, b) result(c)
    double precision, intent(in) :: a(2), b(2)
    double precision :: c(2)
    c = [a(1)*b(1) - a(2)*b(2), a(1)*b(2) + a(2)*b(1)]
  end function times
end subroutine fft
