! Structures that are elements of components: procedures that only read them get copies.
! head: evaluate(y)/(x)
! use: copied_components
! args: n=3, x, y
module copied_components
  implicit none
  type piece
    real(8) :: slope
    real(8) :: power(2)
  end type
  type table
    integer :: count
    type(piece), allocatable :: pieces(:)
  end type
contains
  function part(p, x) result(r)
    type(piece), intent(in) :: p
    real(8), intent(in) :: x
    real(8) :: r
    r = p%slope*sin(x) + x**2*p%power(2)
  end function
  subroutine add(x, p, y)
    real(8), intent(in) :: x
    type(piece), intent(in) :: p
    real(8), intent(inout) :: y
    y = y*exp(-p%power(1)*x)
  end subroutine
  subroutine through(t, x, y)
    type(table), intent(in) :: t
    real(8), intent(in) :: x
    real(8), intent(inout) :: y
    integer :: i
    do i = 1, t%count
      y = y + t%pieces(i)%slope*x**2 + part(t%pieces(i), x)
      call add(x, t%pieces(i), y)
    end do
  end subroutine
  subroutine prepare(n, t)
    integer, intent(in) :: n
    type(table), intent(out) :: t
    integer :: i
    t%count = n
    allocate (t%pieces(n))
    do i = 1, n
      t%pieces(i) = piece(0.3d0*i, [0.2d0, 0.1d0*i])
    end do
  end subroutine
  subroutine evaluate(n, x, y)
    integer, intent(in) :: n
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    type(table) :: t
    call prepare(n, t)
    y = x
    call through(t, x, y)
  end subroutine
end module
