module costs
  implicit none
contains
  subroutine cost(n, x, c)
    integer, intent(in) :: n
    double precision, intent(in) :: x(n)
    double precision, intent(out) :: c

    c = sum(x*sin(x))
  end subroutine cost
end module costs
