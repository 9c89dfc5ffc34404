! What C has no words for: arrays that come with their shape, functions that are arrays, procedures inside of others, assignments that read what they set.
module shapes_m
  implicit none
contains
  function scaled(a, s) result(r)
    real(8), intent(in) :: a(:), s
    real(8) :: r(size(a))
    r = a*s + sum(a)
  end function scaled

  subroutine mixed(a, b, w)
    real(8), intent(inout) :: a(:, :)
    real(8), intent(in) :: b(0:)
    real(8), intent(in), optional :: w(:)
    integer :: i, j
    do j = 1, size(a, 2)
      do i = 1, size(a, 1)
        a(i, j) = a(i, j)*sin(b(i - 1)) + ubound(b, 1)
        if (present(w)) a(i, j) = a(i, j)*w(j)
      end do
    end do
  end subroutine mixed
end module shapes_m

subroutine shaped(n, m, x, w, y)
  use shapes_m
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n), w(m)
  real(8), intent(out) :: y(n)
  real(8) :: a(n, m), t(n)
  integer :: j
  do j = 1, m
    a(:, j) = x*w(j)
  end do
  call mixed(a, x)
  call mixed(a(:, 2:m), x, w(2:m))
  t = scaled(x, w(1))
  y = t*cos(t)
  do j = 1, m
    y = y + a(:, j)
  end do
end subroutine shaped

subroutine hosted(n, x, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y
  real(8) :: acc, w(n)
  integer :: i
  acc = 1
  w = 0
  do i = 1, n
    call step(x(i), i)
  end do
  y = acc*sum(w) + shifted(2d0)
contains
  subroutine step(a, k)
    real(8), intent(in) :: a
    integer, intent(in) :: k
    acc = acc*sin(a) + a
    w(k) = again(a)*acc
  end subroutine step
  function again(a) result(r)
    real(8), intent(in) :: a
    real(8) :: r
    r = a*a + acc
  end function again
  function shifted(b) result(r)
    real(8), intent(in) :: b
    real(8) :: r
    r = b*acc + w(1)*n
  end function shifted
end subroutine hosted

subroutine moved(n, x, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(n)
  real(8) :: c(3, 3)
  y = x
  y(2:n) = y(1:n - 1)*x(2:n)
  y(n:1:-1) = y*y
  c = x(1)
  c(1, :) = [1d0, 2d0, 3d0]*x(n)
  c(2:3, :) = c(1:2, :) + x(n)
  c = transpose(c)*y(1)
  y(1) = sum(c(:, 1)) + c(1, 3)
end subroutine moved
