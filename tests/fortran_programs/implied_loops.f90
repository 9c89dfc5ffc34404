! Implied loops as arguments of SUM and others, and constructors whose inner loops have as many iterations as the outer one says.
! head: f(y)/(a,b)
! use: implied_loops
! args: n=4, a(4), b(4), y
! head: g(x,y)/(h)
! use: implied_loops
! args: n=5, h, x(5), y
! head: k(y)/(a)
! use: implied_loops
! args: a(4), y
! head: triangles(y)/(a)
! use: implied_loops
! args: n=4, a(4), y
module implied_loops
  implicit none
contains
  subroutine f(n, a, b, y)
    integer, intent(in) :: n
    double precision, intent(in) :: a(n), b(n)
    double precision, intent(out) :: y
    integer :: i, j
    y = sum([(a(i)*b(i), i=1,n)])
    y = y + maxval([(a(i), i=1,n,2)])*product((/ (b(i), i=1,n) /))
    y = y + sum([((a(i)*b(j), i=1,n), j=1,n)])
    y = y + dot_product([(a(i)**2, i=1,n)], b)
  end subroutine
  subroutine g(n, h, x, y)
    integer, intent(in) :: n
    double precision, intent(in) :: h
    double precision, intent(out) :: x(n), y
    integer :: i
    x = [(real(i, 8)*h, i=1,n)]
    x = x * [(sin(i*h), i=n,1,-1)]
    y = sum(x)
  end subroutine
  subroutine k(a, y)
    double precision, intent(in) :: a(4)
    double precision, intent(out) :: y
    double precision :: w(0:2), v(6)
    integer :: i
    w = [a(1), (a(i)*a(i+1), i = 2, 3)]
    v = [(a(i), a(i)*a(4), i = 1, 3)]
    y = sum(w)**2 + sum(v*v) + norm2([(a(i)*a(2), i=1,4)])
    if (any([(a(i) > 100d0, i=1,4)])) y = 0
    y = y*scaled(0.5d0*a(2:), a(1)*w)
  end subroutine
  function scaled(u, v) result(s)
    double precision, intent(in) :: u(:), v(:)
    double precision :: s
    s = dot_product(u, v)
  end function
  subroutine triangles(n, a, y)
    integer, intent(in) :: n
    double precision, intent(in) :: a(n)
    double precision, intent(out) :: y
    double precision :: packed(n*(n + 1)/2)
    integer :: i, j, k
    packed = [((a(i)*a(j), i = 1, j), j = 1, n)]
    y = sum(packed*packed)
    y = y + sum([a(1), ((a(i)*i, a(j)**2, i = j, n), a(j), j = n, 1, -1), (a(i), i = 1, n), &
      (((a(k)*a(i), k = i, j), i = 1, j), j = 1, n)])
  end subroutine
end module
