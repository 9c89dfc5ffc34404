! components that are pointers
! f(y)/(x)
module t
  type box
    double precision, pointer :: p(:)
  end type
contains
  subroutine f(x, y)
    double precision, intent(in), target :: x(2)
    double precision, intent(out) :: y
    type(box) :: b
    b%p => x
    y = b%p(1)*b%p(2)
  end subroutine
end module
