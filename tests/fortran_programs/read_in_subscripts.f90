! Arrays of integers that are read in subscripts, bounds and conditions only, and change afterwards.
! head: stepped(x)/(x)
! use: read_in_subscripts
! args: x(6)
! head: rounded(x,y)/(x,y)
! use: read_in_subscripts
! args: x(6), y(6)
! head: nested(x,y)/(x,y)
! use: read_in_subscripts
! args: x(6), y(6)
! head: exchanged(x)/(x)
! use: read_in_subscripts
! args: x(6)
! head: bounds(x,y)/(x,y)
! use: read_in_subscripts
! args: x(6), y(6)
! head: columns(x,y)/(x,y)
! use: read_in_subscripts
! args: x(6), y(6)
! head: chosen(x,y)/(x,y)
! use: read_in_subscripts
! args: x(6), y(6)
! head: handed(x)/(x)
! use: read_in_subscripts
! args: x(6)
! head: gathered(x,y)/(x,y)
! use: read_in_subscripts
! args: x(6), y(6)
module read_in_subscripts
  implicit none
contains
  subroutine stepped(x)
    double precision, intent(inout) :: x(6)
    integer :: at(6), i
    at = (/ 3, 1, 4, 2, 6, 5 /)
    do i = 1, 6
      x(at(i)) = x(at(i)) + 0.3d0*x(i)*x(i)
    end do
    do i = 1, 6
      at(i) = mod(at(i), 6) + 1
    end do
    x(at(1)) = x(at(1))*x(at(6))
  end subroutine
  subroutine rounded(x, y)
    double precision, intent(inout) :: x(6), y(6)
    double precision :: at(6)
    integer :: i
    do i = 1, 6
      at(i) = 7 - i
    end do
    do i = 1, 6
      y(1) = y(1)*(0.5d0 + x(int(at(i))))
    end do
    do i = 1, 6
      at(i) = 2
    end do
    do i = 1, 6
      y(2) = y(2) + x(nint(at(i)))*x(i)
    end do
  end subroutine
  subroutine nested(x, y)
    double precision, intent(inout) :: x(6), y(6)
    integer :: k(6), l(6), i
    k = (/ 2, 3, 4, 5, 6, 1 /)
    l = (/ 4, 2, 1, 6, 5, 3 /)
    do i = 1, 6
      y(k(l(i))) = 0.5d0*y(k(i)) + sin(x(l(k(i))))
    end do
    do i = 1, 6
      k(l(i)) = l(i)
    end do
    do i = 1, 6
      y(k(i)) = y(k(i))*x(l(i))
      l(k(i)) = i
    end do
    x(l(2)) = x(l(2))*y(k(3))
  end subroutine
  subroutine exchanged(x)
    double precision, intent(inout) :: x(6)
    double precision :: t
    integer :: k(6), i, s
    k = (/ 6, 5, 4, 3, 2, 1 /)
    do i = 1, 5
      t = x(k(i))
      x(k(i)) = x(k(i + 1))*x(i)
      x(k(i + 1)) = t
      s = k(i)
      k(i) = k(i + 1)
      k(i + 1) = s
    end do
  end subroutine
  subroutine bounds(x, y)
    double precision, intent(inout) :: x(6), y(6)
    integer :: from(6), to(6), by(6), i, j
    from = (/ 1, 2, 1, 3, 4, 1 /)
    to = (/ 3, 4, 6, 5, 6, 2 /)
    by = (/ 1, 2, 1, 3, 1, 1 /)
    do i = 1, 6
      do j = from(i), to(i), by(i)
        y(i) = y(i)*(0.8d0 + 0.1d0*x(j))
      end do
    end do
    do i = 1, 6
      from(i) = 1
      to(i) = i
      by(i) = 5
    end do
    do i = 1, 6
      do j = from(i), to(i), by(i)
        y(j) = y(j)*x(i)
      end do
    end do
  end subroutine
  ! Sections between what arrays say.
  subroutine columns(x, y)
    double precision, intent(inout) :: x(6), y(6)
    integer :: low(3), high(3), i
    low = (/ 1, 2, 4 /)
    high = (/ 3, 4, 6 /)
    do i = 1, 3
      y(low(i):high(i)) = y(low(i):high(i))*x(low(i):high(i)) + x(high(i))
      x(low(i)) = sum(y(low(i):high(i)))
    end do
    low = 1
    high = 2
    do i = 1, 3
      x(low(i):high(i)) = x(low(i):high(i))*y(i)
    end do
  end subroutine
  subroutine chosen(x, y)
    double precision, intent(inout) :: x(6), y(6)
    integer :: way(6), i
    way = (/ 1, 2, 3, 1, 2, 3 /)
    do i = 1, 6
      select case (way(i))
      case (1)
        y(i) = y(i)*x(i)
      case (2)
        y(way(i)) = sin(y(i))*x(way(i))
      case default
        y(way(i)) = y(way(i)) + 0.2d0*x(i)*y(i)
      end select
      if (way(i) > 1) x(i) = x(i)*y(way(i))
    end do
    do i = 1, 6
      way(i) = mod(way(i), 3) + 1
    end do
    y(way(3)) = y(way(3))*x(way(2))
  end subroutine
  subroutine scaled(a, m, k)
    double precision, intent(inout) :: a(6)
    integer, intent(in) :: m, k(6)
    integer :: i
    do i = 1, m
      a(k(i)) = a(k(i))*(0.7d0 + a(m))
    end do
  end subroutine
  subroutine handed(x)
    double precision, intent(inout) :: x(6)
    integer :: k(6), m(3), r
    k = (/ 5, 3, 1, 2, 4, 6 /)
    m = (/ 2, 4, 5 /)
    do r = 1, 3
      call scaled(x, m(r), k)
      k(r) = k(m(r))
      m(r) = 1
    end do
    call scaled(x, m(1) + 3, k)
  end subroutine
  ! Subscripts that are vectors.
  subroutine gathered(x, y)
    double precision, intent(inout) :: x(6), y(6)
    integer :: k(3), i
    k = (/ 1, 3, 5 /)
    do i = 1, 3
      y(k) = y(k)*x(k) + x(i)
      k(i) = 7 - k(i)
      x(k(i)) = x(k(i))*y(i)
    end do
  end subroutine
end module
