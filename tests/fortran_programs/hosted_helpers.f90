! Procedures inside of others: those that know nothing of their host, and those that read and set variables of it.
! head: turned(x)/(x,angle)
! use: hosted_helpers
! args: x(2,4), angle
! head: relaxed(y)/(x,p)
! use: hosted_helpers
! args: x(5), p, y
! head: counted(y)/(x,y)
! use: hosted_helpers
! args: x(5), y(5)
module hosted_helpers
  implicit none
contains
  ! The weights take part in one call of the helper only.
  subroutine turned(x, angle)
    double precision, intent(inout) :: x(2, 4)
    double precision, intent(in) :: angle
    double precision :: w(2), step(2), v(2)
    integer :: k, i
    step = [cos(0.3d0), sin(0.3d0)]
    w = [1d0, 0d0]
    do i = 1, 3
      do k = 1, 3
        v = times(x(:, k + 1), w)
        x(:, k + 1) = x(:, k) - angle*v
        x(:, k) = x(:, k)*x(1, k) + v
        w = times(w, step)
      end do
    end do
  contains
    pure function times(a, b) result(c)
      double precision, intent(in) :: a(2), b(2)
      double precision :: c(2)
      c = [a(1)*b(1) - a(2)*b(2), a(1)*b(2) + a(2)*b(1)]
    end function times
  end subroutine turned

  ! One procedure sets what the other one reads, between statements of the host that use both.
  subroutine relaxed(x, p, y)
    double precision, intent(in) :: x(5), p
    double precision, intent(out) :: y
    double precision :: s, r, t, k1, k2, work(3)
    integer :: i
    y = 0
    r = p
    work = 0.5d0
    do i = 1, 5
      s = x(i)*r
      call push(s)
      t = sin(s)*r
      k1 = slope(t)
      k2 = slope(t + 0.5d0*k1)
      t = t + k1*k2
      y = y + t*read_back(i)
      s = y
      r = r*cos(s)
      work(2) = work(2)*t
    end do
    y = y + r*work(1) + work(2)*work(3)
  contains
    subroutine push(v)
      double precision, intent(in) :: v
      integer :: j
      do j = 1, 12
        r = r + 0.1d0*v*x(mod(j, 5) + 1)
      end do
      work(1) = work(1)*r
      call deeper()
    end subroutine push
    subroutine deeper()
      integer :: j
      do j = 1, 12
        work(3) = work(3) + 0.01d0*work(1)*s
      end do
    end subroutine deeper
    double precision function slope(v)
      double precision, intent(in) :: v
      slope = v*(1 - v)
    end function slope
    double precision function read_back(j)
      integer, intent(in) :: j
      integer :: l
      read_back = r*x(j)
      do l = 1, 12
        read_back = read_back + s*work(mod(l, 3) + 1)/l
      end do
    end function read_back
  end subroutine relaxed

  ! An extent of the inner procedure's own array is the host's.
  subroutine counted(x, y)
    double precision, intent(in) :: x(5)
    double precision, intent(inout) :: y(5)
    integer :: m, i
    double precision :: f
    do i = 1, 4
      m = i + 1
      f = x(i)*y(i)
      call spread_out(f)
      f = y(m)*f
      y(i) = y(i)*f
    end do
  contains
    subroutine spread_out(v)
      double precision, intent(in) :: v
      double precision :: a(m)
      integer :: j
      a = v
      do j = 1, m
        a(j) = a(j)*x(j)
        y(j) = y(j) + a(j)*a(m + 1 - j)
      end do
    end subroutine spread_out
  end subroutine counted
end module hosted_helpers
