! derived types
! f(b)/(b)
module t
  type body
    double precision :: x(2), mass
  end type
contains
  subroutine f(b)
    type(body), intent(inout) :: b
    b%x(1) = b%x(1) + b%mass*b%x(2)
  end subroutine
end module
