! Constructors of structures as arguments of functions and operators, behind optional arguments that are left out.
! head: corners(r)/(u)
! use: constructed_structures
! args: u(3), r
module constructed_structures
  implicit none
  type vec
    double precision :: x, y
  end type
  type disc
    double precision :: r, c(2)
    integer :: n
  end type
  interface operator(+)
    module procedure addv
  end interface
contains
  function addv(a, b) result(c)
    type(vec), intent(in) :: a, b
    type(vec) :: c
    c = vec(a%x + b%x, a%y*b%y)
  end function
  double precision function norm(a)
    type(vec), intent(in) :: a
    norm = sqrt(a%x**2 + a%y**2)
  end function
  double precision function area(d)
    type(disc), intent(in) :: d
    area = d%r**2*d%n + d%c(1)*d%c(2)
  end function
  function grown(a, k) result(c)
    type(vec), intent(in) :: a
    integer, intent(in), optional :: k
    type(vec) :: c
    c = a
    if (present(k)) c%x = c%x*k
  end function
  subroutine corners(u, r)
    double precision, intent(in) :: u(3)
    double precision, intent(out) :: r
    type(vec) :: a
    integer :: i
    r = norm(vec(u(1), u(2)))
    a = vec(u(1), 2d0) + vec(x=u(2), y=u(3))
    do i = 1, 2
      a = vec(a%y, a%x) + grown(vec(r, a%x))
      r = r + norm(a + vec(1d0, r)) + area(disc(n=i, r=a%x, c=[u(1), a%y]))
      a = vec(a%x/(1 + r), grownx(a)/(1 + r))
    end do
    r = r + area(disc(u(1), u(2), 3))
  contains
    double precision function grownx(b)
      type(vec), intent(in) :: b
      grownx = norm(grown(b, 2) + vec(u(1), b%x))
    end function
  end subroutine
end module
