! Arrays of complex numbers: whole ones, sums, products, shifts, conjugates, arguments of assumed shape, a transform.
! head: spectrum(e,q)/(x,h)
! use: complex_arrays
! args: x(8), h(8), e(8), q
module complex_arrays
  implicit none
contains
  subroutine transform(z, sign)
    complex(8), intent(inout) :: z(:)
    integer, intent(in) :: sign
    complex(8) :: t(size(z)), w
    integer :: j, k, n
    n = size(z)
    do k = 1, n
      t(k) = 0
      do j = 1, n
        w = exp(cmplx(0d0, sign*8*atan(1d0)*(j - 1)*(k - 1)/n, 8))
        t(k) = t(k) + w*z(j)
      end do
    end do
    z = t
  end subroutine
  subroutine spectrum(x, h, e, q)
    double precision, intent(in) :: x(8), h(8)
    double precision, intent(out) :: e(8), q
    complex(8) :: a(8), b(8), m(2, 2), r(2), c(8)
    a = x
    b = cmplx(h, x*h, 8)
    call transform(a, -1)
    call transform(b, -1)
    c = a*conjg(b)/(1 + abs(b)**2)
    e = abs(c)
    call transform(c, 1)
    m(1, :) = c(1:2)
    m(2, :) = cshift(c(3:4), 1)
    r = matmul(m, a(1:2)) + matmul(b(3:4), transpose(m))
    e(1:2) = e(1:2) + real(r*r)
    q = real(dot_product(a, b)) + aimag(sum(c, mask=x > 0.5d0)) + abs(dot_product(r, m(:, 1)))
  end subroutine
end module
