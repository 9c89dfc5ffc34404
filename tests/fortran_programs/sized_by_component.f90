! Lengths given by components of arguments; truth values assigned under WHERE.
! head: sized_by_component(y)/(x)
! args: n=4, x(4), y
module boxes
  implicit none
  type :: box
    integer :: n = 2
    real(8) :: h(6)
    real(8) :: scale = 1
  end type
contains
  subroutine grow(s, y)
    type(box), intent(inout) :: s
    real(8), intent(inout) :: y
    real(8) :: w(s%n)
    logical :: large(s%n)
    w = s%h(1:s%n)**2
    large = w > 0.4d0
    where (large)
      w = w - 0.5d0*w*w
      large = w > 0.45d0
    elsewhere
      large = .false.
    end where
    where (large) w = 2*w
    s%h(1:s%n) = w
    y = y + sum(w)
  end subroutine
  subroutine scaled(s, x, y)
    type(box), intent(in) :: s
    real(8), intent(in) :: x(s%n)
    real(8), intent(inout) :: y
    real(8) :: w(size(s%h))
    w = s%scale*s%h
    y = y + s%scale*sum(x*x) + sum(w*w)
  end subroutine
end module
subroutine sized_by_component(n, x, y)
  use boxes
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y
  type(box) :: s
  s%n = n
  s%h = 0
  s%h(1:n) = x
  y = 0
  call grow(s, y)
  call grow(s, y)
  s%scale = x(1)
  call scaled(s, x, y)
end subroutine
