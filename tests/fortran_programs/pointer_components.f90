! Pointers in structures that are only read: elements, sections, whole arrays, numbers that bound loops, by way of procedures bound to types.
! head: weighted(y)/(x)
! use: pointer_components
! args: n=4, x(4), y
! head: chained(y)/(x)
! use: pointer_components
! args: n=3, x(3), y
! head: stepped(x)/(x)
! use: pointer_components
! args: n=5, x(5)
module pointer_components
  implicit none
  type mesh
    integer, pointer :: cells => null()
    real(8), pointer :: width(:) => null()
    real(8), dimension(:), pointer, contiguous :: weight => null()
    real(8), pointer :: rate => null(), shift
  contains
    procedure :: flux
  end type
  type, extends(mesh) :: layered
    integer :: level = 2
  end type
contains
  function flux(this, i, v) result(r)
    class(mesh), intent(in) :: this
    integer, intent(in) :: i
    real(8), intent(in) :: v
    real(8) :: r
    r = this%rate*this%width(i)*v**2 + this%shift*sin(v)
  end function
  subroutine total(m, x, y)
    type(mesh), intent(in) :: m
    real(8), intent(in) :: x(:)
    real(8), intent(out) :: y
    integer :: i
    y = sum(m%weight(2:m%cells)*x(2:m%cells)**2)
    do i = 1, m%cells
      if (m%width(i) > 0.5d0) then
        y = y*cos(x(i)) + m%weight(i)*x(i)
      else
        y = y + m%flux(i, x(i))*y
      end if
    end do
  end subroutine
  subroutine weighted(n, x, y)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8), intent(out) :: y
    type(mesh) :: m
    integer, target :: cells
    real(8), target :: width(n), weight(n), rate, shift
    cells = n
    width = 0.4d0
    width(n) = 0.7d0
    weight = 1.5d0
    rate = 0.3d0
    shift = 0.2d0
    m%cells => cells
    m%width => width
    m%weight => weight
    m%rate => rate
    m%shift => shift
    call total(m, x, y)
    y = y*m%rate
  end subroutine
  subroutine product_of(l, x, y)
    class(layered), intent(in) :: l
    real(8), intent(in) :: x(:)
    real(8), intent(out) :: y
    integer :: i
    y = 1
    do i = 1, l%cells
      y = y*(1 + l%width(i)*x(i))
      if (y > 2) y = sqrt(y)*l%level
    end do
    y = y + dot_product(l%weight, x)
  end subroutine
  subroutine chained(n, x, y)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8), intent(out) :: y
    type(layered) :: l
    integer, target :: cells
    real(8), target :: width(n)
    integer :: i
    cells = n
    width = [(0.4d0*i, i = 1, n)]
    l%cells => cells
    l%width => width
    l%weight => width
    call product_of(l, x, y)
  end subroutine
  subroutine stepped(n, x)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n)
    type(mesh) :: m
    real(8), target :: rate
    integer :: k
    rate = 0.1d0
    m%rate => rate
    do k = 1, 4
      x(2:n) = x(2:n) + m%rate*x(1:n - 1)**2
      x(1) = x(1)*x(n)
    end do
  end subroutine
end module
