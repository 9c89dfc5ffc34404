! Orientation quaternion and body rates of a rigid body under a constant torque in the body frame, by semi-implicit Euler steps.
subroutine rigidbody(steps, h, torque, inertia, q, w)
  implicit none
  integer, intent(in) :: steps
  double precision, intent(in) :: h, torque(3), inertia(3)
  double precision, intent(inout) :: q(4), w(3)
  integer :: t
  do t = 1, steps
    w = w + h*(torque - cross(w, inertia*w))/inertia
    q = q + 0.5d0*h*product_of(q, [0d0, w])
    q = q/norm2(q)
  end do
contains
  pure function cross(a, b) result(c)
    double precision, intent(in) :: a(3), b(3)
    double precision :: c(3)
    c = [a(2)*b(3) - a(3)*b(2), a(3)*b(1) - a(1)*b(3), a(1)*b(2) - a(2)*b(1)]
  end function cross

  pure function product_of(a, b) result(c)
    double precision, intent(in) :: a(4), b(4)
    double precision :: c(4)
    c(1) = a(1)*b(1) - dot_product(a(2:4), b(2:4))
    c(2:4) = a(1)*b(2:4) + b(1)*a(2:4) + cross(a(2:4), b(2:4))
  end function product_of
end subroutine rigidbody
