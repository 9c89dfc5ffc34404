! Generic names that are renamed, extended from one module to the next, or not visible; specific procedures whose names mean something else elsewhere.
! head: f(y)/(x)
! use: places
! args: x(3), y
module lengths
  implicit none
  private
  public :: length, other
  interface length
    module procedure length1, length2
  end interface
  interface hidden
    module procedure length1
  end interface
contains
  pure function length1(v) result(r)
    real(8), intent(in) :: v(:)
    real(8) :: r
    r = sum(v*v)
  end function
  pure function length2(a) result(r)
    real(8), intent(in) :: a(:,:)
    real(8) :: r
    r = sum(a**3)
  end function
  pure function other(b) result(r)
    real(8), intent(in) :: b
    real(8) :: r
    r = b*b
  end function
end module lengths
module more_lengths
  use lengths
  implicit none
  interface length
    module procedure length0
  end interface
contains
  pure function length0(b) result(r)
    real(8), intent(in) :: b
    real(8) :: r
    r = abs(b)*b
  end function
end module more_lengths
module plain
  implicit none
contains
  pure function hidden(v) result(r)
    real(8), intent(in) :: v(:)
    real(8) :: r
    r = product(v)
  end function
end module plain
module places
  use more_lengths, only: size_of => length
  use lengths, only: other
  use plain
  implicit none
contains
  subroutine f(x, y)
    real(8), intent(in) :: x(3)
    real(8), intent(out) :: y
    real(8) :: a(2,2)
    a = 0.5d0
    a(1,2) = x(2)
    y = size_of(x) * size_of(a) + size_of(x(1)) + hidden(x) + other(x(3))
  end subroutine
end module places
