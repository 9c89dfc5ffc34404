! Arguments that may be absent: as the state of a loop with checkpoints, and handed on without a derivative where one is expected.
! head: f(y)/(x,w)
! use: absent_states
! args: x(3), w(3), c(3), y
! head: g(y)/(x)
! use: absent_states
! args: x(3), y
! head: h(y)/(x)
! use: absent_states
! args: x, y, e
! head: k(y)/(x)
! use: absent_states
! args: x(3), y
module absent_states
  implicit none
contains
  subroutine inner(x, w, s)
    double precision, intent(inout) :: x(:)
    double precision, intent(in), optional :: w(:)
    double precision, intent(in), optional :: s
    if (present(w)) x = x*w
    if (present(s)) x = sin(x)*s
  end subroutine
  subroutine middle(x, c, w)
    double precision, intent(inout) :: x(:)
    double precision, intent(in), optional :: c(:), w(:)
    call inner(x, c)
    call inner(x, w)
    if (present(c)) call inner(x(2:), c(:2), c(3))
  end subroutine
  subroutine f(x, w, c, y)
    double precision, intent(in) :: x(3), w(3), c(3)
    double precision, intent(out) :: y
    double precision :: z(3)
    z = x
    call middle(z, c, w)
    call middle(z, w=w)
    call middle(z)
    call middle(z, c)
    y = sum(z*z)
  end subroutine
  subroutine steps(z, n, v, s)
    double precision, intent(inout) :: z(:)
    integer, intent(in) :: n
    double precision, intent(inout), optional :: v(:), s
    integer :: i
    !$overbar checkpoint 2
    do i = 1, n
      z = z*1.1d0 + 0.1d0*sin(z)
      if (present(v)) then
        v = v*z
        z = z + 0.01d0*v*v
      end if
      if (present(s)) then
        s = s + z(1)*s
        z = z/s
      end if
    end do
  end subroutine
  subroutine g(x, y)
    double precision, intent(in) :: x(3)
    double precision, intent(out) :: y
    double precision :: z(3), v(3), s
    integer :: i
    z = x
    v = x*x
    s = x(1)
    do i = 1, 2
      call steps(z, 4, v)
      call steps(z, 4)
      call steps(z, 3, s=s)
    end do
    y = sum(z) + s*sum(v)
  end subroutine
  subroutine bounded(z, n, v)
    double precision, intent(inout) :: z(:)
    integer, intent(in) :: n
    double precision, intent(inout), optional :: v(n)
    integer :: i
    !$overbar checkpoint memory:100
    do i = 1, 5
      z = z*1.1d0 + 0.1d0*sin(z)
      if (present(v)) then
        v = v*sin(z)
        z = z + 0.01d0*v*v
      end if
    end do
    z = sin(z)
  end subroutine
  subroutine k(x, y)
    double precision, intent(in) :: x(3)
    double precision, intent(out) :: y
    double precision :: z(3), v(3)
    integer :: i
    z = x
    v = x*x
    do i = 1, 2
      !$overbar reversal split
      call bounded(z, 3, v)
      !$overbar reversal split
      call bounded(z, 3)
    end do
    y = sum(z) + sum(v)
  end subroutine
  subroutine h(x, y, e)
    double precision, intent(in) :: x
    double precision, intent(out) :: y
    double precision, intent(inout), optional :: e
    y = x
    call one(2)
    call one(3)
  contains
    subroutine one(k)
      integer, intent(in) :: k
      y = sin(y)*k
      if (present(e)) e = e + y*y
      if (present(e)) y = y*e
    end subroutine
  end subroutine
end module
