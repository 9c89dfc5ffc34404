! Structures by way of pointers that take turns, handed to procedures that only read them.
! head: evolve(y)/(x)
! use: kept_structures
! args: k=1, n=3, x(3), y
! head: evolve(y)/(x)
! use: kept_structures
! args: k=2, n=3, x(3), y
module kept_structures
  implicit none
  type inner
    real(8) :: slope = 0.5d0
    integer :: order = 2
  end type
  type law
    real(8) :: a = 1.5d0, b(3) = [0.2d0, 0.4d0, 0.6d0]
    logical :: damped = .true.
    character(8) :: name = 'default'
    type(inner) :: part
  end type
  type(law), target, save :: common_law, other_law = law(0.7d0, [0.1d0, 0.2d0, 0.3d0], .false., 'other', inner(1.5d0, 3))
contains
  pure function response(x, l) result(r)
    real(8), intent(in) :: x
    type(law), intent(in) :: l
    real(8) :: r
    r = l%a*x**l%part%order + l%b(2)*sin(x*l%part%slope)
    if (l%damped) r = r*exp(-l%b(1)*x)
  end function
  subroutine relax(l, x, scale)
    type(law), intent(in) :: l
    real(8), intent(inout) :: x(:)
    real(8), intent(in), optional :: scale
    x = x*l%b(3)
    if (present(scale)) x = x*scale*l%a
  end subroutine
  subroutine evolve(k, n, x, y, own)
    integer, intent(in) :: k, n
    real(8), intent(in) :: x(n)
    real(8), intent(out) :: y
    type(law), intent(in), optional, target :: own
    type(law), pointer :: l
    real(8) :: v(n)
    integer :: i
    l => common_law
    if (k > 1) l => other_law
    if (present(own)) l => own
    v = x
    y = 0
    do i = 1, n
      y = y*response(v(i), l) + response(y, l)
      call relax(l, v, scale=l%a)
      if (l%damped) call relax(l, v)
    end do
    y = y + sum(v)
  end subroutine
end module
