! Vector subscripts, strides, lower bounds, assumed shape with lower bounds, mixed kinds.
! head: sweep(y,z)/(x,y)
! use: vs
! args: n=6, x(6), y(6), z(0:5)
module vs
  implicit none
contains
  subroutine shift(a, b)
    real(8), intent(in) :: a(0:)
    real(8), intent(out) :: b(-1:)
    integer :: i
    do i = 0, ubound(a, 1)
      b(i-1) = a(i)*a(modulo(i+1, size(a)))
    end do
  end subroutine shift
  subroutine sweep(n, x, y, z)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8), intent(inout) :: y(n)
    real(8), intent(out) :: z(0:n-1)
    integer :: p(n), q(2), i
    real(4) :: single
    p = [(mod(3*i, n+1), i = 1, n)]
    q = [2, n]
    y(n:1:-1) = y + x(p)
    y(q) = y(q)*x(1:2)
    y(1:n:2) = y(2:n:2)*2
    call shift(x(n:1:-1), z)
    z(::2) = z(::2) + y(1:n:2)/3
    single = real(x(1))
    z(1) = z(1) + 0*single + sum(x(q)**2) + dot_product(x(p(1:2)), y(q))
    do i = n, 1, -2
      z(i-1) = z(i-1)*(n/2) + y(i)**(n/4)
    end do
    do i = 5, 4
      z = 0
    end do
  end subroutine sweep
end module vs
