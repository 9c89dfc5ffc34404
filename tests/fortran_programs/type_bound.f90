! Type-bound procedures without dispatch, types that extend others, generic names and assignments that tell types apart.
! head: k(y)/(x)
! use: type_bound
! args: x(2), y
! head: inherited(y)/(x)
! use: type_bound
! args: x(3), y
! head: areas(y)/(x)
! use: type_bound
! args: x(2), y
! head: assigned(y)/(x)
! use: type_bound
! args: x(2), y
! head: springs(y)/(x)
! use: type_bound
! args: x(4), y
module type_bound_types
  implicit none
  type, public :: model
    double precision :: a = 1, b = 0
  contains
    procedure, public :: value => model_value
    procedure :: scale
    procedure, private :: shift_real, shift_whole
    generic :: shift => shift_real, shift_whole
    procedure, pass(m) :: blend
    procedure, nopass :: unit_of
  end type
  type, abstract, public :: body
    double precision :: p(2) = 0
  contains
    procedure, non_overridable :: move
    procedure(law), deferred :: force
  end type
  abstract interface
    subroutine law(self, f)
      import :: body
      class(body), intent(in) :: self
      double precision, intent(out) :: f(2)
    end subroutine
  end interface
  type, public, extends(body) :: particle
    double precision :: mass = 1, v(2) = 0
  contains
    procedure :: force => particle_force
    procedure :: step
    procedure :: energy
  end type
contains
  function model_value(this, x) result(y)
    class(model), intent(in) :: this
    double precision, intent(in) :: x
    double precision :: y
    y = this%a*x + this%b*x*x
  end function
  subroutine scale(this, f)
    class(model), intent(inout) :: this
    double precision, intent(in) :: f
    this%a = this%a*f
    call this%shift(f)
    call this%shift(2)
  end subroutine
  subroutine shift_real(this, d)
    class(model), intent(inout) :: this
    double precision, intent(in) :: d
    this%b = this%b + d*this%a
  end subroutine
  subroutine shift_whole(this, n)
    class(model), intent(inout) :: this
    integer, intent(in) :: n
    this%b = this%b*n
  end subroutine
  function blend(x, m, w) result(y)
    double precision, intent(in) :: x, w
    class(model), intent(in) :: m
    double precision :: y
    y = w*m%value(x) + (1 - w)*x*m%unit_of(3d0)
  end function
  function unit_of(x) result(y)
    double precision, intent(in) :: x
    double precision :: y
    y = x/(1 + x)
  end function
  subroutine move(self, d)
    class(body), intent(inout) :: self
    double precision, intent(in) :: d(2)
    self%p = self%p + d*sum(self%p)
  end subroutine
  subroutine particle_force(self, f)
    class(particle), intent(in) :: self
    double precision, intent(out) :: f(2)
    f = -self%p/self%mass - 0.1d0*self%v
  end subroutine
  subroutine step(self, h)
    class(particle), intent(inout) :: self
    double precision, intent(in) :: h
    double precision :: f(2)
    call self%force(f)
    self%v = self%v + h*f
    call self%move(h*self%v)
    self%body%p(1) = self%p(1)*1.1d0
  end subroutine
  function energy(self) result(e)
    class(particle), intent(in) :: self
    double precision :: e
    e = 0.5d0*self%mass*sum(self%v**2) + 0.5d0*sum(self%body%p**2)
  end function
end module
module type_bound
  use type_bound_types
  implicit none
  type square
    double precision :: a
  end type
  type circle
    double precision :: a
  end type
  interface area
    module procedure area_square, area_circle
  end interface
  interface assignment(=)
    module procedure to_circle, circle_of_real
  end interface
contains
  function area_square(s) result(y)
    type(square), intent(in) :: s
    double precision :: y
    y = s%a**2
  end function
  function area_circle(s) result(y)
    type(circle), intent(in) :: s
    double precision :: y
    y = 3*s%a**2
  end function
  subroutine to_circle(c, d)
    type(circle), intent(out) :: c
    type(square), intent(in) :: d
    c%a = 2*d%a
  end subroutine
  subroutine circle_of_real(c, r)
    type(circle), intent(out) :: c
    double precision, intent(in) :: r
    c%a = r*r
  end subroutine
  subroutine k(x, y)
    double precision, intent(in) :: x(2)
    double precision, intent(out) :: y
    type(model) :: mo
    mo%a = x(1)
    mo%b = x(2)
    call mo%scale(x(2))
    y = mo%value(x(1)) + mo%value(2d0)*mo%blend(x(1), x(2)) + mo%blend(w=x(2), x=x(1)*x(2))
  end subroutine
  subroutine inherited(x, y)
    double precision, intent(in) :: x(3)
    double precision, intent(out) :: y
    type(particle) :: s
    integer :: i
    s%p = x(1:2)
    s%mass = x(3)
    do i = 1, 3
      call s%step(0.1d0*i)
    end do
    y = s%energy()
  end subroutine
  subroutine areas(x, y)
    double precision, intent(in) :: x(2)
    double precision, intent(out) :: y
    type(circle) :: c
    type(square) :: s
    c%a = x(1)
    s%a = x(2)
    y = area(c) - area(s)*x(1)
  end subroutine
  subroutine assigned(x, y)
    double precision, intent(in) :: x(2)
    double precision, intent(out) :: y
    type(circle) :: c, d
    type(square) :: s
    s%a = x(1)
    c = s
    y = c%a*x(2)
    c = x(2)*x(1)
    d = c
    y = y*d%a
  end subroutine
  subroutine springs(x, y)
    double precision, intent(in) :: x(4)
    double precision, intent(out) :: y
    type(particle) :: all(2)
    integer :: i
    do i = 1, 2
      all(i)%p = x(2*i - 1:2*i)
      all(i)%v = 0
      all(i)%mass = i*x(1)
    end do
    y = 0
    do i = 1, 2
      call all(i)%step(0.2d0)
      y = y + all(i)%energy()
    end do
  end subroutine
end module
