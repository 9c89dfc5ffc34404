! head: placed(y)/(x,a)
! use: locating
! args: n=4, x(4), a(2,3), y(4)
! head: arranged(y)/(x,a)
! use: locating
! args: n=4, x(4), a(2,3), y(4)
! head: picked_in_order(y)/(x)
! use: locating
! args: n=4, k=3, x(4), y(5)
! head: scaled(y)/(x,a)
! use: locating
! args: n=4, x(4), a(2,3), y(4)
module locating
  implicit none
contains
  ! Places of elements, over dimensions and under masks.
  subroutine placed(n, x, a, y)
    integer, intent(in) :: n
    double precision, intent(in) :: x(n), a(2, 3)
    double precision, intent(out) :: y(n)
    integer :: tens(4), k, kk(1), both(2), columns(3), rows(2)
    tens = [10, 20, 20, 40]
    columns = maxloc(a, dim=1)
    rows = minloc(a, 2)
    y(1) = a(columns(1), 1)*a(columns(3), 3) + a(1, rows(1))*a(2, rows(2))
    kk = maxloc(x, mask=tens > 10)
    k = minloc(x, 1, tens > 10)
    y(2) = x(kk(1))**2*x(k)
    both = minloc(a*a, mask=a > 0.2d0)
    y(3) = a(both(1), both(2))**3
    kk = findloc(tens, 20)
    k = findloc(tens, 20, dim=1, mask=x < 0.9d0)
    y(4) = x(kk(1))
    if (k > 0) y(4) = y(4)*x(k)
    k = findloc(tens, 30, 1)
    if (k == 0) y(4) = y(4) + x(1)**2
    kk = maxloc(x, tens > 100)
    if (kk(1) == 0) y(4) = y(4)*sin(x(2))
  end subroutine
  ! RESHAPE in other orders, with too few elements; PACK with what stands behind.
  subroutine arranged(n, x, a, y)
    integer, intent(in) :: n
    double precision, intent(in) :: x(n), a(2, 3)
    double precision, intent(out) :: y(n)
    double precision :: b(2, 3), c(3, 2), d(2, 2, 2), v(n)
    b = reshape(x**2, [2, 3], pad=[x(1), sin(x(2))])
    y(1) = sum(b*a)
    c = reshape(a, [3, 2], order=[2, 1])
    y(2) = sum(c*reshape(b, [3, 2]))
    d = reshape(a*b, [2, 2, 2], pad=reshape(x, [2, 2]), order=[3, 1, 2])
    y(3) = sum(d(1, :, :)**2) + d(2, 2, 2)*d(2, 1, 2)
    v = pack(x**2, x > 0.5d0, x*[1d0, 2d0, 3d0, 4d0])
    y(4) = dot_product(v, [1d0, 3d0, 5d0, 7d0])
  end subroutine
  ! In a loop, over what is set before, with an order of more elements than there are.
  subroutine picked_in_order(n, k, x, y)
    integer, intent(in) :: n, k
    double precision, intent(in) :: x(n)
    double precision, intent(out) :: y(n + 1)
    double precision :: w(n + 1)
    integer :: i, at
    w(1:n) = x
    w(n + 1) = x(1)*x(2)
    do i = 1, k
      at = maxloc(w, 1, mask=w < 10)
      w(at) = w(at)*x(i) - 1
      w = pack(w, w > 0.1d0, w*w)
      y = reshape(w(2:n), [n + 1], pad=[w(n + 1)*x(i)])
      w = w + 0.5d0*y
    end do
    y = y*w
  end subroutine
  subroutine scaled(n, x, a, y)
    integer, intent(in) :: n
    double precision, intent(in) :: x(n), a(2, 3)
    double precision, intent(out) :: y(n)
    integer :: i
    do i = 1, n
      y(i) = scale(x(i)**2, i - 2)*storage_size(x(i))/64
    end do
    y = y*scale(x, 1) + sum(scale(a, -1))
  end subroutine
end module
