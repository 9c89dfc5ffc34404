! Small procedures where they are called, reductions inside of elementwise calls, windows of constant length, statements that need no temporary array.
! head: placed(y)/(x)
! use: in_place
! args: x(6), y
! head: softened(y)/(x)
! use: in_place
! args: x(6), y(6)
! head: eliminated(b)/(m,b)
! use: in_place
! args: m(3,3), b(3)
! head: travelled(y)/(x,q)
! use: in_place
! args: x(6), q(3), y
! head: bounded(y)/(x)
! use: in_place
! args: k=2, x(4), y
module in_place
  implicit none
  double precision, parameter :: most = 2.0d0
contains
  elemental double precision function soft(z)
    double precision, intent(in) :: z
    soft = z/(1 + exp(-z))
  end function soft

  elemental double precision function clipped(z)
    double precision, intent(in) :: z
    if (z > most) then
      clipped = 2*most - most*most/z
    else
      clipped = z
    end if
  end function clipped

  double precision function rate(v)
    double precision, intent(in) :: v
    rate = v*(1 - v)
  end function rate

  subroutine turned(angle, w)
    double precision, intent(in) :: angle
    double precision, intent(inout) :: w(2)
    double precision :: t
    t = cos(angle)*w(1) - sin(angle)*w(2)
    w(2) = sin(angle)*w(1) + cos(angle)*w(2)
    w(1) = t
  end subroutine turned

  subroutine placed(x, y)
    double precision, intent(in) :: x(6)
    double precision, intent(out) :: y
    double precision :: w(2, 3), v
    integer :: i
    w = 0.5d0
    v = x(1)
    y = 0
    do i = 1, 3
      call turned(x(i), w(:, i))
      call turned(x(i + 3)*v, w(1, i))
      v = rate(v) + rate(w(1, i))*rate(x(i) + rate(v))
      y = y + v*w(2, i)
    end do
  end subroutine placed

  subroutine softened(x, y)
    double precision, intent(in) :: x(6)
    double precision, intent(out) :: y(6)
    double precision :: c(6)
    integer :: i
    c = x - sum(x)/6
    y = soft(x*c/sqrt(sum(c**2)/6 + 0.1d0) + 0.5d0)
    do i = 1, 3
      y(i) = y(i) + maxval(clipped(3*x(2*i - 1:2*i)))
    end do
  end subroutine softened

  subroutine eliminated(m, b)
    double precision, intent(inout) :: m(3, 3), b(3)
    integer :: i, j, k
    m(1, 1) = m(1, 1) + 4
    m(2, 2) = m(2, 2) + 4
    m(3, 3) = m(3, 3) + 4
    do k = 1, 2
      m(k+1:3, k) = m(k+1:3, k)/m(k, k)
      do j = k + 1, 3
        m(k+1:3, j) = m(k+1:3, j) - m(k+1:3, k)*m(k, j)
      end do
    end do
    do i = 1, 2
      b(i+1:3) = b(i+1:3) - m(i+1:3, i)*b(i)
    end do
    do i = 3, 1, -1
      b(i) = b(i)/m(i, i)
      do j = 1, i - 1
        b(j) = b(j) - m(j, i)*b(i)
      end do
    end do
  end subroutine eliminated

  ! A state of three numbers goes through a loop, and through one inside of it.
  subroutine travelled(x, q, y)
    double precision, intent(in) :: x(6), q(3)
    double precision, intent(out) :: y
    double precision :: s(3), d(3), h
    integer :: i, j
    y = 0
    do j = 1, 2
      s = q*j
      do i = 1, 6
        h = 0.1d0*x(i)
        d(1) = sin(s(2))*s(3) + x(i)
        d(2) = rate(s(1))*cos(s(3))
        d(3) = exp(-s(1)*s(1))*d(1) + d(2)
        s(1) = s(1) + h*d(1)*d(2)
        s(2) = s(2) + h*d(2)*d(3)
        s(3) = s(3) + h*sin(d(3))*d(1)
        y = y + s(1)*s(2)*s(3)
      end do
    end do
  end subroutine travelled

  ! Arrays whose first elements have other subscripts where they are called.
  subroutine four(x, s)
    double precision, intent(in) :: x(4)
    double precision, intent(out) :: s
    s = x(1)*x(2) + 3*x(3)*x(4)
  end subroutine four

  subroutine numbered(m, x, s)
    integer, intent(in) :: m
    double precision, intent(in) :: x(m:m+3)
    double precision, intent(out) :: s
    s = x(m)*x(m+1) + 3*x(m+2)*x(m+3)
  end subroutine numbered

  subroutine shaped(x, s)
    double precision, intent(in) :: x(:)
    double precision, intent(out) :: s
    s = x(1)*x(2) + 3*x(3)*x(4)
  end subroutine shaped

  subroutine bounded(k, x, y)
    integer, intent(in) :: k
    double precision, intent(in) :: x(4)
    double precision, intent(out) :: y
    double precision, allocatable :: a(:)
    double precision :: s(6), b(k:k+3), c(0:3)
    allocate (a(0:3))
    a(:) = x
    b = x*x
    c = x + x(1)
    call four(a, s(1))
    call numbered(k, x, s(2))
    call shaped(a, s(3))
    call shaped(b, s(4))
    call shaped(c, s(5))
    call four(c, s(6))
    y = s(1) + 2*s(2) + 3*s(3) + 5*s(4) + 7*s(5)*s(6)
  end subroutine bounded
end module in_place
