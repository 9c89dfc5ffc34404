! In-place butterflies with bit reversal by swapping: indices are overwritten all the time.
! head: fft(re,im)/(re,im)
! args: n=8, re(8), im(8)
subroutine fft(n, re, im)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: re(n), im(n)
  real(8) :: tr, ti, wr, wi, theta
  integer :: i, j, m, mmax, istep
  j = 1
  do i = 1, n
    if (j > i) then
      tr = re(j); ti = im(j)
      re(j) = re(i); im(j) = im(i)
      re(i) = tr; im(i) = ti
    end if
    m = n/2
    do while (m >= 2 .and. j > m)
      j = j - m
      m = m/2
    end do
    j = j + m
  end do
  mmax = 1
  do while (n > mmax)
    istep = 2*mmax
    do m = 1, mmax
      theta = 3.141592653589793d0*(m - 1)/mmax
      wr = cos(theta); wi = sin(theta)
      do i = m, n, istep
        j = i + mmax
        tr = wr*re(j) - wi*im(j)
        ti = wr*im(j) + wi*re(j)
        re(j) = re(i) - tr
        im(j) = im(i) - ti
        re(i) = re(i) + tr
        im(i) = im(i) + ti
      end do
    end do
    mmax = istep
  end do
end subroutine fft
