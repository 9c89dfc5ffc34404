! Mean squared height of the lower bob of n double pendulums at rest at first, by semi-implicit Euler steps. Lengths are one, mass is that of the
! lower bob.
function pendulum(n, steps, h, mass, first, second) result(mean)
  implicit none
  integer, intent(in) :: n, steps
  double precision, intent(in) :: h, mass, first(n), second(n)
  double precision :: mean
  type :: state
    double precision :: angle(2), speed(2)
  end type state
  type(state) :: p
  integer :: i, t
  mean = 0
  do i = 1, n
    p = state([first(i), second(i)], [0d0, 0d0])
    do t = 1, steps
      p%speed = p%speed + h*acceleration(p)
      p%angle = p%angle + h*p%speed
      mean = mean + (2 - sum(cos(p%angle)))**2
    end do
  end do
  mean = mean/steps/n
contains
  function acceleration(p) result(a)
    type(state), intent(in) :: p
    double precision :: a(2), s, c, square(2), pull(2)
    double precision, parameter :: g = 9.81d0
    s = sin(p%angle(1) - p%angle(2))
    c = cos(p%angle(1) - p%angle(2))
    square = p%speed**2
    pull = g*sin(p%angle)
    a(1) = mass*(pull(2)*c - s*(square(1)*c + square(2))) - (1 + mass)*pull(1)
    a(2) = (1 + mass)*(square(1)*s - pull(2) + pull(1)*c) + mass*square(2)*s*c
    a = a/(1 + mass*s**2)
  end function acceleration
end function pendulum
