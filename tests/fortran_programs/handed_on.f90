! Arguments that may be absent, handed on to calls: what is recorded and added up around these depends on whether they are there.
! head: hosted(y)/(x)
! use: handed_on
! args: x(2), y
! head: changed(y)/(x)
! use: handed_on
! args: x, y
! head: twice(y)/(x)
! use: handed_on
! args: x(3), y(3)
! head: halves(y)/(x)
! use: handed_on
! args: x(3), y(3)
module handed_on
  implicit none
contains
  subroutine hosted(x, y)
    real(8), intent(in) :: x(2)
    real(8), intent(out) :: y
    y = 1
    call first(y)
    call first(y, x(2))
  contains
    subroutine first(a, b)
      real(8), intent(inout) :: a
      real(8), intent(in), optional :: b
      call second(a, b)
    end subroutine first
    subroutine second(a, b)
      real(8), intent(inout) :: a
      real(8), intent(in), optional :: b
      a = a*x(1)
      if (present(b)) a = a*b*x(2)
    end subroutine second
  end subroutine hosted
  subroutine square(a, w)
    real(8), intent(inout) :: a
    real(8), intent(inout), optional :: w
    a = a*a
    if (present(w)) w = w*a
  end subroutine square
  subroutine weighted(a, w)
    real(8), intent(inout) :: a
    real(8), intent(inout), optional :: w
    integer :: i
    call square(a, w)
    if (present(w)) a = a*w
    do i = 1, 2
      call square(a, w)
      if (present(w)) a = a*w
    end do
  end subroutine weighted
  subroutine changed(x, y)
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    real(8) :: z
    z = x
    y = x
    call weighted(y)
    call weighted(y, z)
  end subroutine changed
  subroutine product_of(a, b, g)
    real(8), intent(in) :: a(:)
    real(8), intent(in), optional :: b(:)
    real(8), intent(inout) :: g(:)
    g = g*a
    if (present(b)) g = g*b
  end subroutine product_of
  subroutine between(u, v, g)
    real(8), intent(in) :: u(:)
    real(8), intent(in), optional :: v(:)
    real(8), intent(inout) :: g(:)
    call product_of(u, v, g)
    call product_of(u(2:), u(:2), g(2:))
  end subroutine between
  subroutine twice(x, y)
    real(8), intent(in) :: x(3)
    real(8), intent(out) :: y(3)
    y = x
    call between(x, g=y)
    call between(x, x, y)
  end subroutine twice
  subroutine filled(a, w)
    real(8), intent(inout) :: a(:)
    real(8), intent(out), optional :: w(:)
    a = 1.2d0*sin(a)
    if (present(w)) w = a
  end subroutine filled
  subroutine kept(a, w)
    real(8), intent(inout) :: a(:)
    real(8), intent(inout), optional :: w(:)
    integer :: i
    do i = 1, 2
      a = 1.2d0*sin(a)
      call filled(a, w)
      if (present(w)) a = a*sin(w)
    end do
  end subroutine kept
  subroutine halves(x, y)
    real(8), intent(in) :: x(3)
    real(8), intent(out) :: y(3)
    real(8) :: z(3)
    y = x
    !$overbar reversal split
    call kept(y)
    !$overbar reversal split
    call kept(y, z)
    y = y + z
  end subroutine halves
end module handed_on
