! Operators for which a module has functions: of structures and numbers, elemental and pure ones, one inside another, in conditions of loops and branches.
! head: paths(r)/(u)
! use: paths_of_vectors
! args: u(4), r
module vectors
  implicit none
  type vec
    double precision :: x, y
  end type
  interface operator(+)
    module procedure addv
  end interface
  interface operator(-)
    module procedure subv, negv
  end interface
  interface operator(*)
    module procedure scalev, dotv, scalei
  end interface
  interface operator(.cross.)
    module procedure crossv
  end interface
contains
  elemental function addv(a, b) result(c)
    type(vec), intent(in) :: a, b
    type(vec) :: c
    c = vec(a%x + b%x, a%y + b%y)
  end function
  pure function subv(a, b) result(c)
    type(vec), intent(in) :: a, b
    type(vec) :: c
    c%x = a%x - b%x
    c%y = a%y - b%y
  end function
  pure function negv(a) result(c)
    type(vec), intent(in) :: a
    type(vec) :: c
    c%x = -a%x
    c%y = -a%y
  end function
  pure function scalev(s, b) result(c)
    double precision, intent(in) :: s
    type(vec), intent(in) :: b
    type(vec) :: c
    c%x = s*b%x
    c%y = s*b%y
  end function
  pure function scalei(s, b) result(c)
    integer, intent(in) :: s
    type(vec), intent(in) :: b
    type(vec) :: c
    c%x = s*b%x
    c%y = s*b%y
  end function
  pure double precision function dotv(a, b)
    type(vec), intent(in) :: a, b
    dotv = a%x*b%x + a%y*b%y
  end function
  pure double precision function crossv(a, b)
    type(vec), intent(in) :: a, b
    crossv = a%x*b%y - a%y*b%x
  end function
end module
module paths_of_vectors
  use vectors, only: vec, operator(+), operator(-), operator(*), operator(.cross.)
  implicit none
contains
  subroutine paths(u, r)
    double precision, intent(in) :: u(4)
    double precision, intent(out) :: r
    type(vec) :: a, b, c(2)
    integer :: i
    a = vec(u(1), u(2))
    b = a + u(3)*a
    b = b + a
    c(1) = -(a - 2*b)
    c(2) = u(4)*(c(1) + b) - a
    r = a*b + 2*u(1)*u(2)
    i = 0
    do while (a*c(1) > -1d3 .and. i < 3)
      i = i + 1
      a = sin(c(1)*b)*(a + c(2))
      r = r + (a .cross. b)*(a*c(2)) + u(1)*(-(a*b))
      if (a*b > 1d2 .and. u(1) > 0) exit
    end do
    r = r - a*c(1)*2d0
  end subroutine
end module
