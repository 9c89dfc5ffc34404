! Complex numbers of two kinds: operators, powers, constants, comparison, functions of a module, components, elements and sections.
! head: waves(p,s)/(a,b)
! use: complex_numbers
! args: n=3, a(3), b(3), p(3), s
! head: singles(y)/(x)
! use: complex_numbers
! kind: 4
! args: x(3), y
! array temporaries
module complex_numbers
  implicit none
  integer, parameter :: dp = kind(1d0)
  complex(dp), parameter :: i = (0.0_dp, 1.0_dp)
  complex(dp) :: last
  type mode
    complex(dp) :: amplitude
    real(dp) :: rate
  end type
contains
  complex(dp) function turned(z, angle)
    complex(dp), intent(in) :: z
    real(dp), intent(in) :: angle
    turned = z*exp(i*angle)
  end function
  pure complex(dp) function mobius(z) result(w)
    complex(dp), intent(in) :: z
    w = (z - i)/(2*z + (1.5_dp, -0.5_dp))
  end function
  subroutine scale_by(n, z, w)
    integer, intent(in) :: n
    complex(dp), intent(inout) :: z(n)
    complex(dp), intent(in) :: w
    integer :: k
    do k = 1, n
      z(k) = z(k)*w + conjg(z(k))
    end do
  end subroutine
  subroutine waves(n, a, b, p, s)
    integer, intent(in) :: n
    real(dp), intent(in) :: a(n), b(n)
    real(dp), intent(out) :: p(n), s
    complex(dp) :: z(n), w, v(2, 2)
    complex :: single
    type(mode) :: m
    integer :: k
    z = cmplx(a, b, dp)
    w = (1, 0)
    do k = 1, n
      w = w*turned(z(k), b(k)) + z(k)**2 - mobius(z(k))**(-1)
      if (abs(w) > 4) w = w/3
      if (w == (0.0_dp, 0.0_dp)) w = i
    end do
    call scale_by(n - 1, z(2:n), w/(1 + abs(w)))
    call scale_by(1, z(1:1), mobius(w))
    v(1, :) = z(1:2)
    v(2, :) = i*z(2:3) - w
    m%amplitude = v(2, 1)*v(1, 2)
    m%rate = aimag(m%amplitude)
    m%amplitude = m%amplitude**1.5_dp + m%rate**i
    single = (0.75, -1.25)
    last = -m%amplitude*single
    z(1) = last
    last%re = last%re*b(3)
    do k = 1, n
      p(k) = real(z(k)*conjg(w)) + dble(w**n) + aimag(z(k)**(-n))
    end do
    s = abs(last)**2 + real(sum(v)) + aimag(v(1, 1)/v(2, 2)) + real(2**w) + m%amplitude
  end subroutine
  subroutine singles(x, y)
    real, intent(in) :: x(3)
    real, intent(out) :: y
    complex :: z, c(2)
    complex(kind((0.0_dp, 1))) :: wide
    z = cmplx(x(1), x(2))
    wide = z*i + real(x(3), dp)**2
    c(1) = cmplx(wide*z, kind=kind(c))
    c(2) = conjg(z)/cmplx(1.5, x(3))
    y = abs(c(1) + c(2)) + real(sqrt(wide)*c(2), kind(y))
  end subroutine
end module
