! A structure with TARGET in a module that hides what it does not list: bounds of arguments, arrays in it, other names for one of them.
! head: settle(y)/(x)
! use: profiles
! args: n=5, x(5), y(5)
! head: lifted(q)/(x)
! use: profiles
! args: n=4, x(4), q
module levels
  implicit none
  private
  public :: column, layering, lay_out
  type layering
    integer :: count
    real(8), allocatable :: width(:)
    real(8), allocatable :: weight(:)
  end type
  type(layering), target :: column
contains
  subroutine lay_out(n)
    integer, intent(in) :: n
    integer :: k
    if (allocated(column%width)) deallocate (column%width, column%weight)
    column%count = n
    allocate (column%width(n), column%weight(n))
    do k = 1, n
      column%width(k) = 0.5d0 + 0.1d0*k
      column%weight(k) = 1d0/k
    end do
  end subroutine
end module
module profiles
  use levels, only: column, lay_out
  implicit none
contains
  subroutine diffuse(x, y)
    real(8), dimension(column%count), intent(in) :: x
    real(8), dimension(column%count), intent(out) :: y
    integer :: k
    y(1) = x(1)**2
    do k = 2, column%count
      y(k) = (x(k) - x(k - 1))*x(k)/column%width(k)
    end do
  end subroutine
  subroutine settle(n, x, y)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8), intent(out) :: y(n)
    call lay_out(n)
    call diffuse(x, y)
  end subroutine
  subroutine lifted(n, x, q)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8), intent(out) :: q
    real(8), pointer :: w(:)
    real(8) :: y(n)
    call lay_out(n)
    w => column%weight
    call diffuse(x, y)
    q = sum(w*y*sin(x))
  end subroutine
end module
