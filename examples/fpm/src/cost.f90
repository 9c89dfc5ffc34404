module costs
  implicit none
contains
  subroutine cost(n, x, c)
    integer, intent(in) :: n
    double precision, intent(in) :: x(n)
    double precision, intent(out) :: c

    c = sum(x*sin(x))
  end subroutine cost

  ! Overbar 0.1.0: adjoint, head cost(c)/(x). Request f65b316b8941ef28a51d1ffabafa7b39.
  ! Adjoint of cost, head cost(c)/(x).
  ! Certified by the interpreter at 1 point.
  subroutine cost_b(n, x, xb, c, cb)
    implicit none
    integer, intent(in) :: n
    double precision, intent(in) :: x(n)
    double precision, intent(inout) :: xb(n), c, cb
    integer :: i
    double precision :: c1, c2

    do i = 1, n
      c1 = sin(x(i))
      c2 = c1 + cos(x(i))*x(i)
      xb(i) = xb(i) + c2*cb
    end do
    ! c = sum(x*sin(x))
    cb = 0.0d0
  end subroutine cost_b
end module costs
