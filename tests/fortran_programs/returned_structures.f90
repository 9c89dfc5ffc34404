! Functions that return structures: in assignments, as arguments of one another, recursive, with components that have initial values, by their type's name.
! head: turns(r)/(u,v)
! use: returned_structures
! args: u(3), v(3), r
module returned_structures
  implicit none
  type vec
    double precision :: x, y, z
  contains
    procedure :: half
  end type
  type pair
    type(vec) :: a
    integer :: n = 2
    double precision :: w(2)
  end type
contains
  type(vec) function cross(a, b)
    type(vec), intent(in) :: a, b
    cross%x = a%y*b%z - a%z*b%y
    cross%y = a%z*b%x - a%x*b%z
    cross%z = a%x*b%y - a%y*b%x
  end function
  recursive function power(a, n) result(c)
    type(vec), intent(in) :: a
    integer, intent(in) :: n
    type(vec) :: c
    if (n <= 1) then
      c = a
    else
      c = cross(a, power(a, n - 1))
      c%x = c%x + a%y*n
    end if
  end function
  function half(self) result(h)
    class(vec), intent(in) :: self
    type(vec) :: h
    h = vec(self%x/2, self%y/2, self%z/2)
  end function
  function made(v, s) result(p)
    type(vec), intent(in) :: v
    double precision, intent(in) :: s
    type(pair) :: p
    p%a = v
    p%a%y = p%a%y*s
    p%w(1) = s*v%x
    p%w(2) = p%w(1)*p%n
    p%n = 3
  end function
  double precision function norm(a)
    type(vec), intent(in) :: a
    norm = sqrt(a%x**2 + a%y**2 + a%z**2)
  end function
  subroutine turns(u, v, r)
    double precision, intent(in) :: u(3), v(3)
    double precision, intent(out) :: r
    type(vec) :: a, b, c(2), t
    type(pair) :: p
    integer :: i
    a = vec(u(1), u(2), u(3))
    b = vec(v(1), v(2), v(3))
    r = 0
    do i = 1, 3
      a = cross(a, b)
      c(1) = cross(b, cross(a, b))
      c(2) = power(c(1), i)
      r = r + norm(c(2)) + norm(cross(c(1), b))*c(2)%x
      p = made(cross(a, c(2)), r)
      a = p%a
      a%z = a%z + p%w(2)*p%n
      a = a%half()
      t = power(a, 1)
      b%x = b%x*sin(t%y)
    end do
  end subroutine
end module
